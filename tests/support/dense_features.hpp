// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "graphpatcher/graph/feature_table.hpp"
#include "support/random_matrix.hpp"

/// Feature tables for tests: the same numbers sparse and dense, in any type.
namespace support {

namespace gp = graphpatcher;

/// The nearest S.
template <gp::stored_number S>
S stored_as(double value) {
  if constexpr (std::is_same_v<S, gp::float16>) {
    return gp::to_float16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<S, gp::bfloat16>) {
    return gp::to_bfloat16(static_cast<float>(value));
  } else {
    return static_cast<S>(value);
  }
}

/// Random numbers stored as S, every fifth of them 0, in a view with `gap` numbers between rows that are never to be
/// read.
template <class T, gp::stored_number S, class I = std::int32_t>
gp::feature_table<T, I> dense_features(std::size_t rows, std::size_t cols, unsigned seed, std::size_t gap = 3) {
  const auto numbers = random_matrix<double>(rows, cols, seed);
  const auto held = std::make_shared<gp::matrix<S>>(rows, cols + gap);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols + gap; ++c) {
      (*held)(r, c) = stored_as<S>(c < cols ? ((r * 7 + c * 3) % 5 == 0 ? 0.0 : numbers(r, c)) : 12345.0);
    }
  }
  return gp::dense_table::view_of(gp::matrix_view<const S>(held->data(), rows, cols, cols + gap), held);
}

/// All numbers of a table, as T.
template <class T, class I>
gp::matrix<T> numbers_of(const gp::feature_table<T, I>& table) {
  gp::matrix<T> result(table.rows(), table.cols());
  for (std::size_t v = 0; v < table.rows(); ++v) {
    table.read_row(v, result.row(v));
  }
  return result;
}

/// The same numbers in sparse rows.
template <class T, class I>
gp::feature_table<T, I> made_sparse(const gp::feature_table<T, I>& table) {
  return gp::sparse_from_dense<I>(numbers_of(table).view());
}

}  // namespace support
