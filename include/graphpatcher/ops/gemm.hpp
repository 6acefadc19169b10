// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/gemm.hpp"
#include "graphpatcher/device/operations.hpp"

namespace graphpatcher {

/// Products of dense matrices. A row of the result depends only on its own row
/// of op(a) and on b: it is the same bits alone, in a batch of any size, and
/// with any number of threads. The result must not overlap the factors.

namespace detail {

template <class T>
void checked_gemm(const executor& exec, matrix_view<const T> a, bool transpose_a, matrix_view<const T> b,
                  bool transpose_b, matrix_view<T> c, bool accumulate, const char* name) {
  const std::size_t rows = transpose_a ? a.cols() : a.rows();
  const std::size_t depth = transpose_a ? a.rows() : a.cols();
  const std::size_t depth_b = transpose_b ? b.cols() : b.rows();
  const std::size_t cols = transpose_b ? b.rows() : b.cols();
  expects<shape_error>(depth == depth_b, name, ": inner sizes differ: ", a.rows(), " x ", a.cols(),
                       transpose_a ? " (transposed)" : "", " times ", b.rows(), " x ", b.cols(),
                       transpose_b ? " (transposed)" : "");
  expects<shape_error>(c.rows() == rows && c.cols() == cols, name, ": result: expected ", rows, " x ", cols, ", got ",
                       c.rows(), " x ", c.cols());
  exec.visit([&](const auto& on) { backend::gemm<T>(on, {a, transpose_a}, {b, transpose_b}, c, accumulate); });
}

}  // namespace detail

/// c = a b
template <class T>
void gemm(const executor& exec, input_view<T> a, input_view<T> b, matrix_view<T> c) {
  detail::checked_gemm(exec, a, false, b, false, c, false, "gemm");
}

/// c += a b
template <class T>
void gemm_add(const executor& exec, input_view<T> a, input_view<T> b, matrix_view<T> c) {
  detail::checked_gemm(exec, a, false, b, false, c, true, "gemm_add");
}

/// c = a b^T
template <class T>
void gemm_abt(const executor& exec, input_view<T> a, input_view<T> b, matrix_view<T> c) {
  detail::checked_gemm(exec, a, false, b, true, c, false, "gemm_abt");
}

/// c += a b^T: gradient of x in y = x w, with a = dy, b = w.
template <class T>
void gemm_abt_add(const executor& exec, input_view<T> a, input_view<T> b, matrix_view<T> c) {
  detail::checked_gemm(exec, a, false, b, true, c, true, "gemm_abt_add");
}

/// c += a^T b: gradient of w in y = x w, with a = x, b = dy; sums over a batch,
/// first row to last.
template <class T>
void gemm_atb_add(const executor& exec, input_view<T> a, input_view<T> b, matrix_view<T> c) {
  detail::checked_gemm(exec, a, true, b, false, c, true, "gemm_atb_add");
}

}  // namespace graphpatcher
