// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/feature_table.hpp"

namespace graphpatcher {

namespace detail {

/// A row divided by its sum, unless that is 0.
template <class T>
void normalise_row(std::span<T> row) {
  double sum = 0;
  for (const T value : row) {
    sum += static_cast<double>(value);
  }
  for (T& value : row) {
    value = sum == 0 ? value : static_cast<T>(static_cast<double>(value) / sum);
  }
}

}  // namespace detail

/// Every row divided by its sum, so that it sums to 1; rows that sum to 0 stay
/// as they are. What the papers on Cora, Citeseer and Pubmed do with their
/// features before anything else. Sums are taken in double in the order of the
/// columns, and each value is rounded once.
template <class T, class I>
sparse_matrix<T, I> normalise_rows(sparse_matrix<T, I>&& features) {
  const std::size_t rows = features.rows();
  const std::size_t cols = features.cols();
  auto offsets = std::move(features).release_offsets();
  auto columns = std::move(features).release_columns();
  auto values = std::move(features).release_values();
  for (std::size_t r = 0; r < rows; ++r) {
    detail::normalise_row(std::span<T>(values.begin() + offsets[r], values.begin() + offsets[r + 1]));
  }
  return {rows, cols, std::move(offsets), std::move(columns), std::move(values)};
}

/// The same of a copy.
template <class T, class I>
sparse_matrix<T, I> normalise_rows(const sparse_matrix<T, I>& features) {
  return normalise_rows(sparse_matrix<T, I>(features));
}

/// The same of features of either kind; dense ones become a table of its own, in T.
template <class T, graph_index I>
feature_table<T, I> normalise_rows(feature_table<T, I>&& features) {
  if (!features.is_dense()) {
    return normalise_rows(std::move(features).sparse());
  }
  matrix<T> result(cpu{}, features.rows(), features.cols(), contents::anything);
  for (std::size_t r = 0; r < result.rows(); ++r) {
    features.read_row(r, result.row(r));
    detail::normalise_row(result.row(r));
  }
  return result;
}
template <class T, graph_index I>
feature_table<T, I> normalise_rows(const feature_table<T, I>& features) {
  return normalise_rows(feature_table<T, I>(features));
}

}  // namespace graphpatcher
