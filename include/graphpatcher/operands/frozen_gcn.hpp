// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/operands/normalisation.hpp"

namespace graphpatcher {

/// A trained two-layer GCN over a fixed feature table X, as far as its answers
/// need it, in the memory of the executor that reads it:
///
///   h_i = relu(left_i · Σ_j right_j · P_j + hidden_bias),   P = X W1
///   logits = (left_a · Σ_i right_i · h_i) W2 + bias
///
/// left and right are those of `norm` (ops/spmm.hpp). P may be stored in 16 bits
/// (core/narrow_float.hpp); sums are in T.
template <class T, storage_of<T> S = T>
struct frozen_gcn {
  matrix_view<const S> projected;  ///< P: nodes x hidden
  std::span<const T> hidden_bias;  ///< hidden
  matrix_view<const T> weight;     ///< W2: hidden x classes
  std::span<const T> bias;         ///< classes
  normalisation norm = normalisation::mean;

  std::size_t hidden() const noexcept { return projected.cols(); }
  std::size_t classes() const noexcept { return weight.cols(); }
};

/// Where the answers for anchors x samples pairs go, row b · samples + s for
/// sample s of anchor b. What is left empty is not written.
template <class T>
struct corrupted_answers {
  matrix_view<T> logits = {};              ///< pairs x classes
  matrix_view<T> probabilities = {};       ///< pairs x classes: softmax of the logits
  matrix_view<T> mean_probabilities = {};  ///< anchors x classes: mean over an anchor's samples
};

}  // namespace graphpatcher
