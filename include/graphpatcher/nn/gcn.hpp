// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/graph_functions.hpp"
#include "graphpatcher/autodiff/node_features.hpp"
#include "graphpatcher/nn/initialise.hpp"
#include "graphpatcher/nn/module.hpp"

namespace graphpatcher {

/// Graph convolution (Kipf and Welling; DGL's GraphConv):
///
///   mean (DGL "right"):      h_i = 1 / d_in(i) * sum_j x_j W + b
///   symmetric (DGL "both"):  h_i = d_in(i)^-1/2 * sum_j d_out(j)^-1/2 x_j W + b
///
/// over the sources j of row i, degrees clamped to at least 1: a row without
/// sources gives b. Parameters: "weight" [in, out], Glorot uniform, and "bias", 0.
template <class T>
class gcn_layer {
public:
  parameter<T> weight;
  parameter<T> bias;
  normalisation norm;

  gcn_layer(std::size_t in, std::size_t out, normalisation how, random_stream random, std::string_view prefix = "")
      : weight(parameter_name(prefix, "weight"), in, out), bias(parameter_name(prefix, "bias"), 1, out), norm(how) {
    expects_widths(in, out, "gcn_layer");
    glorot_uniform(weight, random.fork(0));
  }

  std::size_t inputs() const noexcept { return weight.value.rows(); }
  std::size_t outputs() const noexcept { return weight.value.cols(); }
  parameter_list<T> parameters() { return {&weight, &bias}; }

  /// Multiplies before or after aggregation, whichever leaves less to
  /// aggregate (DGL's rule; the same algebra). Sparse features are always
  /// multiplied first: their product is dense and narrow.
  template <graph_index I, class Input>
  variable<T> forward(tape<T>& t, const message_block<I>& block, const Input& x) const {
    const auto w = t.use(weight);
    if constexpr (std::same_as<Input, variable<T>>) {
      if (inputs() <= outputs()) {
        return add_bias(matmul(aggregate(block, rows(x, 0, block.source_rows()), norm), w), t.use(bias));
      }
    }
    return add_bias(aggregate(block, project(x, w, block.source_rows()), norm), t.use(bias));
  }
};

}  // namespace graphpatcher
