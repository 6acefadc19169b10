// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/matrix.hpp"

namespace graphpatcher {

/// The numbers of a sparse matrix whose pattern is a graph's edges: entry
/// (i, j) of edge e is left[i] · w[e] · right[j]. What is empty counts as 1, so
/// that a normalised adjacency matrix is never stored edge by edge.
template <class T>
struct spmm_scales {
  std::span<const T> left = {};       ///< one a receiving row
  std::span<const T> right = {};      ///< one a source
  matrix_view<const T> weights = {};  ///< edges x H: column h weighs the h-th slice of the columns of x

  std::size_t heads() const noexcept { return weights.cols() == 0 ? 1 : weights.cols(); }
  T left_of(std::size_t row) const noexcept { return left.empty() ? T(1) : left[row]; }
  T right_of(std::size_t source) const noexcept { return right.empty() ? T(1) : right[source]; }
  T weight_of(std::size_t edge, std::size_t head) const noexcept {
    return weights.cols() == 0 ? T(1) : weights(edge, head);
  }

  void check(std::size_t rows, std::size_t source_rows, std::size_t edges, std::size_t cols) const {
    expects<shape_error>(left.empty() || left.size() >= rows, "spmm_scales: expected ", rows, " left scales, got ",
                         left.size());
    expects<shape_error>(right.empty() || right.size() >= source_rows, "spmm_scales: expected ", source_rows,
                         " right scales, got ", right.size());
    expects<shape_error>(weights.cols() == 0 || weights.rows() == edges, "spmm_scales: expected weights of ", edges,
                         " edges, got ", weights.rows());
    expects<shape_error>(cols % heads() == 0, "spmm_scales: ", cols, " columns do not split into ", heads(),
                         " equal heads");
  }
};

}  // namespace graphpatcher
