// SPDX-License-Identifier: MIT
#pragma once

#include <cublas_v2.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/operands/gemm_operand.hpp"

/// How row-major matrices are handed to cuBLAS, which stores columns: a
/// row-major matrix is the transpose of a column-major one with the stride as
/// leading dimension, so c = a b is computed as cᵀ = bᵀ aᵀ, the factors in the
/// other order and nothing moved.
namespace graphpatcher::kernels {

inline int blas_int(std::size_t count) {
  constexpr auto limit = static_cast<std::size_t>(std::numeric_limits<int>::max());
  expects<overflow_error>(count <= limit, "gemm: ", count, " rows or columns, cuBLAS takes up to ", limit,
                          "; use smaller batches");
  return static_cast<int>(count);
}

/// c = a b, c of m x n, sums of k products: sizes as cuBLAS takes them, for the
/// product bᵀ aᵀ.
struct gemm_shape {
  int m;
  int n;
  int k;
  cublasOperation_t a_operation;
  cublasOperation_t b_operation;
  int a_leading;
  int b_leading;
  int c_leading;

  template <class T>
  gemm_shape(const gemm_operand<T>& a, const gemm_operand<T>& b, matrix_view<T> c)
      : m(blas_int(c.rows())),
        n(blas_int(c.cols())),
        k(blas_int(a.cols())),
        a_operation(a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N),
        b_operation(b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N),
        a_leading(leading(a.stored)),
        b_leading(leading(b.stored)),
        c_leading(leading(c)) {
    expects<shape_error>(a.rows() == c.rows() && b.cols() == c.cols() && a.cols() == b.rows(), "gemm: ", a.rows(),
                         " x ", a.cols(), " times ", b.rows(), " x ", b.cols(), " does not give ", c.rows(), " x ",
                         c.cols());
  }

  bool no_result() const noexcept { return m == 0 || n == 0; }
  bool no_terms() const noexcept { return k == 0; }

private:
  // The stride of a single row says nothing, and cuBLAS wants at least 1.
  template <class T>
  static int leading(matrix_view<T> view) {
    expects<shape_error>(view.rows() <= 1 || view.stride() >= view.cols(), "gemm: expected rows of ", view.cols(),
                         " columns that don't overlap, got a stride of ", view.stride());
    return blas_int(view.rows() <= 1 ? std::max<std::size_t>(view.cols(), 1) : std::max<std::size_t>(view.stride(), 1));
  }
};

}  // namespace graphpatcher::kernels
