// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/gather.hpp"
#include "graphpatcher/cpu/gathered_gemm.hpp"
#include "graphpatcher/cpu/gemm.hpp"
#include "graphpatcher/cpu/pieces.hpp"
#include "graphpatcher/cpu/row_sums.hpp"
#include "graphpatcher/operands/feature_rows.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// Mean number of non-zeros a row, for choosing pieces.
template <class T, class I>
std::size_t row_cost(const sparse_rows<T, I>& x) {
  return x.table->nonzeros() / std::max<std::size_t>(1, x.table->rows()) + 1;
}

/// The rows that a sparse_gemm() sums, for row_sums.hpp: rows of w, by the columns of the table's non-zeros.
template <class T, class I>
struct sparse_gemm_rows {
  static constexpr sum_start start = sum_start::zero;

  sparse_view<T, I> table;
  sparse_rows<T, I> x;
  matrix_view<const T> w;
  matrix_view<T> out;
  bool far;

  std::size_t begin_of(I id) const { return static_cast<std::size_t>(table.offsets[static_cast<std::size_t>(id)]); }
  row_sum<T> row(std::size_t r) const {
    const I id = x.ids[r];
    return id < 0 ? row_sum<T>{0, 0, out.row(r).data()} : row_sum<T>{begin_of(id), begin_of(id + 1), out.row(r).data()};
  }
  const T* source(std::size_t k) const { return w.row(static_cast<std::size_t>(table.columns[k])).data(); }
  T scale(std::size_t r, std::size_t k) const {
    return x.value_offsets.empty() ? table.values[k] : x.values[x.value_offsets[r] + (k - begin_of(x.ids[r]))];
  }
  std::size_t fetchable(std::size_t end) const { return far ? end : 0; }
};

/// sum_rows() from a table of sources; one that the last cache can't keep is taken in strips of columns, so that it
/// keeps a strip while all rows read it.
template <class T, class Rows>
void sum_rows_in_strips(std::size_t row, std::size_t last_row, std::size_t first_col, std::size_t last_col,
                        matrix_view<const T> table, const Rows& rows) {
  constexpr std::size_t strip = 256;
  const bool kept = table.rows() * table.stride() * sizeof(T) <= std::size_t{1} << 24;
  const std::size_t width = kept ? last_col - first_col : strip;
  for (std::size_t begin = first_col; begin < last_col; begin += width) {
    sum_rows<T>(row, last_row, begin, std::min(begin + width, last_col), rows);
  }
}

template <class T, class I>
void project_rows(const cpu& exec, const sparse_rows<T, I>& x, matrix_view<const T> w, matrix_view<T> out) {
  const sparse_gemm_rows<T, I> rows{x.table->on(exec), x, w, out, is_far(w)};
  for_each_row_range(exec, out.rows(), out.cols() * row_cost(x), [&](std::size_t begin, std::size_t end) {
    sum_rows_in_strips<T>(begin, end, 0, out.cols(), w, rows);
  });
}

/// The product of a table's rows and a dense matrix, by threads together.
template <class T, class S, class I>
void gathered_gemm(const cpu& exec, const gathered_factor<S, I>& a, matrix_view<const T> b, matrix_view<T> c,
                   bool add) {
  for_each_gemm_tile<T>(
      exec, c.rows(), c.cols(), a.cols(), gemm_workspace<T>::rows, c.cols(),
      [&](std::size_t row, std::size_t row_end, std::size_t col, std::size_t col_end) {
        const matrix_view<T> tile(&c(row, col), row_end - row, col_end - col, c.stride());
        gemm_tile(a, gemm_operand<T>{b, false}, row, col, tile, add, [](matrix_view<T>, std::size_t, std::size_t) {});
      });
}

template <class T, class S, class I>
void project_rows(const cpu& exec, const dense_table_rows<S, I>& x, matrix_view<const T> w, matrix_view<T> out) {
  gathered_gemm<T>(exec, gathered_factor<S, I>{x, false}, w, out, false);
}

template <class T, graph_index I>
void sparse_gemm(const cpu& exec, const feature_rows<T, I>& x, input_view<T> w, matrix_view<T> out) {
  visit_rows(exec, x, [&](const auto& rows) { project_rows<T>(exec, rows, w, out); });
}

/// Non-zeros of picked rows, sorted by their columns; within a column in the order of the rows.
template <class T, class I>
struct nonzeros_by_column {
  std::vector<std::size_t> offsets;
  std::vector<std::size_t> rows;
  std::vector<T> values;

  void collect(const sparse_rows<T, I>& x) {
    offsets.assign(x.table->cols() + 2, 0);  // one place ahead, so that filling leaves the starts
    for (std::size_t r = 0; r < x.ids.size(); ++r) {
      for (const I column : x.row(r).columns) {
        ++offsets[static_cast<std::size_t>(column) + 2];
      }
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    rows.resize(offsets.back());
    values.resize(offsets.back());
    for (std::size_t r = 0; r < x.ids.size(); ++r) {
      const auto row = x.row(r);
      for (std::size_t i = 0; i < row.columns.size(); ++i) {
        const std::size_t place = offsets[static_cast<std::size_t>(row.columns[i]) + 1]++;
        rows[place] = r;
        values[place] = row.values[i];
      }
    }
    offsets.pop_back();
  }
};

/// The rows that a sparse_gemm_adjoint() sums: rows of the gradient, for each column of the table.
template <class T>
struct sparse_gemm_adjoint_rows {
  static constexpr sum_start start = sum_start::out;

  std::span<const std::size_t> offsets;
  std::span<const std::size_t> rows;
  std::span<const T> values;
  matrix_view<const T> g;
  matrix_view<T> dw;
  bool far;

  row_sum<T> row(std::size_t column) const { return {offsets[column], offsets[column + 1], dw.row(column).data()}; }
  const T* source(std::size_t k) const { return g.row(rows[k]).data(); }
  T scale(std::size_t, std::size_t k) const { return values[k]; }
  std::size_t fetchable(std::size_t) const { return far ? rows.size() : 0; }
};

/// Wide rows: the non-zeros are sorted by column first, so that each row of dw is read and written once. For narrow
/// ones the sorting would cost more than it saves: there threads own columns of dw and walk all non-zeros in order.
/// Either way an element is summed in the order of the rows.
template <class T, class I>
void project_rows_adjoint(const cpu& exec, const sparse_rows<T, I>& x, matrix_view<const T> g, matrix_view<T> dw) {
  constexpr std::size_t wide = 128;
  if (dw.cols() >= wide) {
    thread_local nonzeros_by_column<T, I> sorted;  // keeps its memory
    sorted.collect(x);
    const sparse_gemm_adjoint_rows<T> rows{sorted.offsets, sorted.rows, sorted.values, g, dw, is_far(g)};
    for_each_row_piece(exec, rows.offsets, dw.cols(), dw.cols(),
                       [&](auto... piece) { sum_rows_in_strips<T>(piece..., g, rows); });
    return;
  }
  for_each_column_range(exec, dw.cols(), g.rows() * row_cost(x), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = 0; r < g.rows(); ++r) {
      const auto row = x.row(r);
      for (std::size_t i = 0; i < row.columns.size(); ++i) {
        add_scaled_row(row.values[i], g.row(r).data() + begin,
                       dw.row(static_cast<std::size_t>(row.columns[i])).data() + begin, end - begin);
      }
    }
  });
}

template <class T, class S, class I>
void project_rows_adjoint(const cpu& exec, const dense_table_rows<S, I>& x, matrix_view<const T> g, matrix_view<T> dw) {
  gathered_gemm<T>(exec, gathered_factor<S, I>{x, true}, g, dw, true);
}

template <class T, graph_index I>
void sparse_gemm_adjoint(const cpu& exec, const feature_rows<T, I>& x, input_view<T> g, matrix_view<T> dw) {
  visit_rows(exec, x, [&](const auto& rows) { project_rows_adjoint<T>(exec, rows, g, dw); });
}

template <class T, class I>
void fill_row(const sparse_rows<T, I>& x, std::size_t r, std::span<T> out) {
  std::fill(out.begin(), out.end(), T(0));
  const auto row = x.row(r);
  for (std::size_t i = 0; i < row.columns.size(); ++i) {
    out[static_cast<std::size_t>(row.columns[i])] = row.values[i];
  }
}
template <class T, class S, class I>
void fill_row(const dense_table_rows<S, I>& x, std::size_t r, std::span<T> out) {
  read_numbers<T>(x, r, 0, out.size(), out.data());
}

template <class T, graph_index I>
void sparse_to_dense(const cpu& exec, const feature_rows<T, I>& x, matrix_view<T> out) {
  visit_rows(exec, x, [&](const auto& rows) {
    for_each_row(exec, out.rows(), out.cols(), [&](std::size_t r) { fill_row<T>(rows, r, out.row(r)); });
  });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
