// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/sparse_gemm.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/operands/feature_rows.hpp"

namespace graphpatcher {

/// out[r, :] = sum of value * w[column, :] over the non-zeros of row r, columns
/// ascending.
template <class T, graph_index I>
void sparse_gemm(const executor& exec, const feature_rows<T, I>& x, input_view<T> w, matrix_view<T> out) {
  check_feature_rows(x, "sparse_gemm");
  expects_shape(w, x.table->cols(), w.cols(), "sparse_gemm: w");
  expects_shape(out, x.ids.size(), w.cols(), "sparse_gemm: result");
  exec.visit([&](const auto& on) { backend::sparse_gemm<T, I>(on, x, w, out); });
}

/// dw[column, :] += value * g[r, :] over all rows, first to last: the gradient
/// of w in out = x w.
template <class T, graph_index I>
void sparse_gemm_adjoint(const executor& exec, const feature_rows<T, I>& x, input_view<T> g, matrix_view<T> dw) {
  check_feature_rows(x, "sparse_gemm_adjoint");
  expects_shape(g, x.ids.size(), dw.cols(), "sparse_gemm_adjoint: gradient");
  expects_shape(dw, x.table->cols(), dw.cols(), "sparse_gemm_adjoint: result");
  exec.visit([&](const auto& on) { backend::sparse_gemm_adjoint<T, I>(on, x, g, dw); });
}

/// out[r, :] = row r with its zeros.
template <class T, graph_index I>
void sparse_to_dense(const executor& exec, const feature_rows<T, I>& x, matrix_view<T> out) {
  check_feature_rows(x, "sparse_to_dense");
  expects_shape(out, x.ids.size(), x.table->cols(), "sparse_to_dense: result");
  exec.visit([&](const auto& on) { backend::sparse_to_dense<T, I>(on, x, out); });
}

}  // namespace graphpatcher
