// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/operands/gemm_operand.hpp"

/// Dense products on the GPU, through cuBLAS (kernels/gemm.cu). Views are device
/// memory. cuBLAS gives the same bits for the same shapes on the same device,
/// but not, as the CPU backend does, for a row alone and in a batch.
namespace graphpatcher::backend {

/// c = (or += with `accumulate`) a b. Rows may be apart but must not overlap;
/// sums of no products (a has no columns) are 0. In float, not in TF32.
template <class T>
void gemm(const cuda& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<T> c, bool accumulate);

/// c = a b + bias, or relu of that; bias 1 x n. One kernel of cublasLt where it
/// has one, else the product and a kernel after it; what relu makes of a NaN is
/// cublasLt's choice.
template <class T>
void gemm_bias(const cuda& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<const T> bias, bool relu,
               matrix_view<T> c);

}  // namespace graphpatcher::backend
