// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/gather.hpp"
#include "graphpatcher/cpu/split.hpp"
#include "graphpatcher/ops/sparse_rows.hpp"

namespace graphpatcher::backend {

/// Mean number of non-zeros a row, for choosing pieces.
template <class T, class I>
std::size_t row_cost(const sparse_rows<T, I>& x) {
  return x.table->nonzeros() / std::max<std::size_t>(1, x.table->rows()) + 1;
}

template <class T, class I>
void sparse_gemm(const cpu& exec, const sparse_rows<T, I>& x, input_view<T> w, matrix_view<T> out) {
  for_each_row(exec, out.rows(), out.cols() * row_cost(x), [&](std::size_t r) {
    T* const y = out.row(r).data();
    std::fill_n(y, out.cols(), T(0));
    const auto row = x.row(r);
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      add_scaled_row(row.values[i], w.row(static_cast<std::size_t>(row.columns[i])).data(), y, out.cols());
    }
  });
}

/// Threads own columns of dw: each walks all non-zeros in order.
template <class T, class I>
void sparse_gemm_adjoint(const cpu& exec, const sparse_rows<T, I>& x, input_view<T> g, matrix_view<T> dw) {
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

template <class T, class I>
void sparse_to_dense(const cpu& exec, const sparse_rows<T, I>& x, matrix_view<T> out) {
  for_each_row(exec, out.rows(), out.cols(), [&](std::size_t r) {
    std::fill_n(out.row(r).data(), out.cols(), T(0));
    const auto row = x.row(r);
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      out(r, static_cast<std::size_t>(row.columns[i])) = row.values[i];
    }
  });
}

}  // namespace graphpatcher::backend
