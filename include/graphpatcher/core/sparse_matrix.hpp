// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/emptied_by_move.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"

namespace graphpatcher {

/// The arrays of a sparse matrix, in the memory of the executor that reads them.
template <class T, class I>
struct sparse_view {
  std::size_t rows;
  std::size_t cols;
  std::span<const I> offsets;
  std::span<const I> columns;
  std::span<const T> values;
};

namespace detail {

/// Whether columns and values are as they should be. Millions of them are checked in loops without a branch: columns
/// that don't ascend are counted over all rows as if they were one, and must be no more than there are between rows.
template <class T, class I>
bool sparse_is_sound(const sparse_view<T, I>& m) noexcept {
  std::size_t falls = 0;
  for (std::size_t i = 1; i < m.columns.size(); ++i) {
    falls += m.columns[i] <= m.columns[i - 1];
  }
  for (std::size_t r = 1; r < m.rows; ++r) {
    const auto i = static_cast<std::size_t>(m.offsets[r]);
    falls -= i > 0 && i < static_cast<std::size_t>(m.offsets[r + 1]) && m.columns[i] <= m.columns[i - 1];
  }
  bool outside = false;
  for (const I column : m.columns) {
    outside |= static_cast<std::size_t>(column) >= m.cols;  // a negative one is above any count
  }
  bool infinite = false;
  for (const T value : m.values) {
    infinite |= !std::isfinite(value);
  }
  return falls == 0 && !outside && !infinite;
}

/// Throws about the first fault of the arrays of a sparse matrix.
template <class T, class I>
void check_sparse(const sparse_view<T, I>& m) {
  expects<shape_error>(!m.offsets.empty() && m.offsets.size() - 1 == m.rows, "sparse matrix: expected one offset more ",
                       "than its ", m.rows, " rows, got ", m.offsets.size());
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<I>::max());
  expects<overflow_error>(m.cols <= most, "sparse matrix: ", m.cols, " columns do not fit an index that ends at ",
                          most);
  expects<shape_error>(m.columns.size() == m.values.size(), "sparse matrix: expected as many columns as values, got ",
                       m.columns.size(), " and ", m.values.size());
  expects<shape_error>(m.offsets.front() == 0 && static_cast<std::size_t>(m.offsets.back()) == m.columns.size(),
                       "sparse matrix: expected offsets from 0 to ", m.columns.size(), ", got ", m.offsets.front(),
                       " to ", m.offsets.back());
  for (std::size_t r = 0; r < m.rows; ++r) {
    expects<shape_error>(m.offsets[r] <= m.offsets[r + 1], "sparse matrix: offsets fall at row ", r);
  }
  if (sparse_is_sound(m)) {
    return;
  }
  for (std::size_t r = 0; r < m.rows; ++r) {
    const auto begin = static_cast<std::size_t>(m.offsets[r]), end = static_cast<std::size_t>(m.offsets[r + 1]);
    I previous = -1;
    for (const I column : m.columns.subspan(begin, end - begin)) {
      expects<index_error>(column > previous && static_cast<std::size_t>(column) < m.cols, "sparse matrix: row ", r,
                           ": expected ascending columns in [0, ", m.cols, "), got ", column, " after ", previous);
      previous = column;
    }
    for (const T value : m.values.subspan(begin, end - begin)) {
      expects<numeric_error>(std::isfinite(value), "sparse matrix: row ", r, ": expected finite numbers, got ", value);
    }
  }
}

#if GP_HAS_INSTANCES
GP_EXTERN template void check_sparse(const sparse_view<float, std::int32_t>&);
GP_EXTERN template void check_sparse(const sparse_view<float, std::int64_t>&);
GP_EXTERN template void check_sparse(const sparse_view<double, std::int32_t>&);
GP_EXTERN template void check_sparse(const sparse_view<double, std::int64_t>&);
#endif

}  // namespace detail

/// A matrix in compressed sparse rows, checked once when it is made: columns
/// inside the matrix and strictly ascending in each row, values finite.
/// Node features are kept like this (Cora's are 1.3 % non-zero) and are never
/// copied into ego-graphs: operations gather their rows by node id. A move leaves
/// 0 x 0.
template <class T, class I>
class sparse_matrix {
public:
  using value_type = T;
  using index_type = I;

  sparse_matrix() : offsets_{0} {}

  /// offsets: rows + 1 positions into `columns` and `values`.
  sparse_matrix(std::size_t rows, std::size_t cols, std::vector<I> offsets, std::vector<I> columns,
                std::vector<T> values)
      : rows_(rows),
        cols_(cols),
        offsets_(std::move(offsets)),
        columns_(std::move(columns)),
        values_(std::move(values)) {
    detail::check_sparse<T, I>({rows, cols, offsets_, columns_, values_});
  }

  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  std::size_t nonzeros() const noexcept { return columns_.size(); }
  std::span<const I> offsets() const noexcept { return offsets_; }
  std::span<const I> columns() const noexcept { return columns_; }
  std::span<const T> values() const noexcept { return values_; }

  std::span<const I> row_columns(std::size_t row) const noexcept {
    return std::span<const I>(columns_).subspan(begin(row), begin(row + 1) - begin(row));
  }
  std::span<const T> row_values(std::size_t row) const noexcept {
    return std::span<const T>(values_).subspan(begin(row), begin(row + 1) - begin(row));
  }

  /// The arrays, for one who makes another matrix of them; this one has no rows any more.
  std::vector<T> release_values() && { return rows_ = 0, std::move(values_); }
  std::vector<I> release_columns() && { return rows_ = 0, std::move(columns_); }
  std::vector<I> release_offsets() && { return rows_ = 0, std::move(offsets_); }

  /// The arrays where an executor can read them; a device's copy is made on first
  /// use and kept.
  sparse_view<T, I> on(const cpu&) const noexcept { return {rows_, cols_, offsets_, columns_, values_}; }
  sparse_view<T, I> on(const device& exec) const {
    return {rows_, cols_, device_offsets_.of(exec, offsets_), device_columns_.of(exec, columns_),
            device_values_.of(exec, values_)};
  }

private:
  std::size_t begin(std::size_t row) const noexcept { return static_cast<std::size_t>(offsets_[row]); }

  emptied_by_move<std::size_t> rows_ = 0;
  emptied_by_move<std::size_t> cols_ = 0;
  std::vector<I> offsets_;
  std::vector<I> columns_;
  std::vector<T> values_;
  backend::device_mirror<I> device_offsets_;
  backend::device_mirror<I> device_columns_;
  backend::device_mirror<T> device_values_;
};

/// The non-zeros of a dense matrix.
template <class I, class T>
sparse_matrix<std::remove_const_t<T>, I> sparse_from_dense(matrix_view<T> dense) {
  std::vector<I> offsets{0};
  std::vector<I> columns;
  std::vector<std::remove_const_t<T>> values;
  for (std::size_t r = 0; r < dense.rows(); ++r) {
    for (std::size_t c = 0; c < dense.cols(); ++c) {
      if (dense(r, c) != T(0)) {
        columns.push_back(static_cast<I>(c));
        values.push_back(dense(r, c));
      }
    }
    offsets.push_back(static_cast<I>(columns.size()));
  }
  return {dense.rows(), dense.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace graphpatcher
