// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <variant>

#include "graphpatcher/core/dense_table.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// The features of all nodes, a row each: what layers gather rows from by node id.
/// Either sparse, which suits bags of words (Cora's are 1.3 % non-zero), or dense,
/// which suits embeddings. Both are checked once, when the table is made, and never
/// change. Numbers of a dense table may be stored in another type; a row is
/// converted to T when it is read.
template <class T, graph_index I>
class feature_table {
public:
  using value_type = T;
  using index_type = I;

  /// No rows.
  feature_table() = default;
  feature_table(sparse_matrix<T, I> rows) : rows_(std::move(rows)) {}
  /// Throws unless every number is finite as a T.
  feature_table(dense_table rows) : rows_(std::move(rows)) { check_dense(); }
  /// Owned rows, without a copy: data.features = gp::matrix<float>(nodes, features).
  template <stored_number S>
  feature_table(matrix<S> rows) : feature_table(dense_table(std::move(rows))) {}

  std::size_t rows() const noexcept {
    return std::visit([](const auto& table) { return table.rows(); }, rows_);
  }
  std::size_t cols() const noexcept {
    return std::visit([](const auto& table) { return table.cols(); }, rows_);
  }

  bool is_dense() const noexcept { return rows_.index() == 1; }
  /// The table as what it is, for those who treat the two apart.
  const sparse_matrix<T, I>& sparse() const& {
    expects_sparse();
    return std::get<0>(rows_);
  }
  sparse_matrix<T, I> sparse() && {
    expects_sparse();
    return std::get<0>(std::move(rows_));
  }
  const dense_table& dense() const {
    expects(is_dense(), "feature table: expected dense features, got sparse ones; read_row() reads both");
    return std::get<1>(rows_);
  }

  /// out = a row with its zeros.
  void read_row(std::size_t row, std::span<T> out) const {
    expects<shape_error>(row < rows() && out.size() == cols(), "feature table: expected a row in [0, ", rows(),
                         ") and room for ", cols(), " numbers, got row ", row, " and ", out.size());
    std::fill(out.begin(), out.end(), T(0));
    for_each_nonzero(row, [&](std::size_t column, T value) { out[column] = value; });
  }

  /// Calls body(column, value) for what a row has but zeros, columns ascending. (Zeros
  /// that a sparse table was given are handed on.)
  template <class Body>
  void for_each_nonzero(std::size_t row, Body&& body) const {
    if (is_dense()) {
      std::get<1>(rows_).visit([&](const auto& numbers) {
        for (std::size_t c = 0; c < numbers.cols(); ++c) {
          if (const T value = number_as<T>(numbers(row, c)); value != T(0)) {
            body(c, value);
          }
        }
      });
      return;
    }
    const auto& table = std::get<0>(rows_);
    const auto columns = table.row_columns(row);
    const auto values = table.row_values(row);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      body(static_cast<std::size_t>(columns[k]), values[k]);
    }
  }

  /// Numbers that are stored, and the memory they take.
  std::size_t stored() const noexcept { return is_dense() ? rows() * cols() : std::get<0>(rows_).nonzeros(); }
  std::size_t bytes() const noexcept {
    return is_dense() ? stored() * std::get<1>(rows_).number_size()
                      : stored() * (sizeof(T) + sizeof(I)) + (rows() + 1) * sizeof(I);
  }
  /// Share of all numbers that isn't 0; goes through the table.
  double density() const {
    std::size_t count = 0;
    for (std::size_t v = 0; v < rows(); ++v) {
      for_each_nonzero(v, [&](std::size_t, T value) { count += value != T(0); });
    }
    return count == 0 ? 0 : static_cast<double>(count) / static_cast<double>(rows()) / static_cast<double>(cols());
  }

  /// Whether two tables hold the same numbers, however they are stored.
  friend bool operator==(const feature_table& a, const feature_table& b) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) {
      return false;
    }
    matrix<T> rows(2, a.cols());
    for (std::size_t v = 0; v < a.rows(); ++v) {
      a.read_row(v, rows.row(0));
      b.read_row(v, rows.row(1));
      if (!std::ranges::equal(rows.row(0), rows.row(1))) {
        return false;
      }
    }
    return true;
  }

private:
  void expects_sparse() const {
    expects(!is_dense(), "feature table: expected sparse features, got dense ones; for_each_nonzero() reads both");
  }
  void check_dense() const {
    std::get<1>(rows_).visit([](const auto& numbers) {
      for (std::size_t r = 0; r < numbers.rows(); ++r) {
        bool infinite = false;  // a loop without a branch
        for (const auto value : numbers.row(r)) {
          infinite |= !std::isfinite(number_as<T>(value));
        }
        for (std::size_t c = 0; infinite && c < numbers.cols(); ++c) {
          const T value = number_as<T>(numbers(r, c));
          expects<numeric_error>(std::isfinite(value), "feature table: row ", r, ", column ", c,
                                 ": expected finite numbers, got ", value);
        }
      }
    });
  }

  std::variant<sparse_matrix<T, I>, dense_table> rows_;
};

}  // namespace graphpatcher
