// SPDX-License-Identifier: MIT
#include "kernels/gemm.cuh"

#include "kernels/elementwise.cuh"
#include "kernels/gemm_bias.hpp"
#include "kernels/operations.hpp"
#include "kernels/runtime/check.hpp"
#include "kernels/runtime/context.hpp"
#include "kernels/runtime/library_check.hpp"

namespace graphpatcher::backend::on_cuda {
namespace {

template <class T>
void clear(const device& exec, matrix_view<T> c) {
  const std::size_t pitch = (c.rows() == 1 ? c.cols() : c.stride()) * sizeof(T);
  check(cudaMemset2DAsync(c.data(), pitch, 0, c.cols() * sizeof(T), c.rows(), stream_of(exec)), "cudaMemset2DAsync");
}

}  // namespace

template <class T>
void gemm(const device& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<T> c, bool accumulate) {
  const kernels::gemm_shape shape(a, b, c);
  if (shape.no_result()) {
    return;
  }
  if (shape.no_terms()) {
    if (!accumulate) {
      clear(exec, c);
    }
    return;
  }
  const T one = 1;
  const T before = accumulate ? T(1) : T(0);
  const auto product = [&](auto function, const char* name) {
    check(function(context_of(exec).blas(), shape.b_operation, shape.a_operation, shape.n, shape.m, shape.k, &one,
                   b.stored.data(), shape.b_leading, a.stored.data(), shape.a_leading, &before, c.data(),
                   shape.c_leading),
          name);
  };
  if constexpr (std::is_same_v<T, float>) {
    product(cublasSgemm, "cublasSgemm");
  } else {
    product(cublasDgemm, "cublasDgemm");
  }
}

template <class T>
void gemm_bias(const device& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<const T> bias, bool relu,
               matrix_view<T> c) {
  const kernels::gemm_shape shape(a, b, c);
  expects_shape(bias, 1, c.cols(), "gemm_bias: bias");
  if (shape.no_result()) {
    return;
  }
  const bool bias_aligned = kernels::alignment_of(bias.data()) >= 16;  // cublasLt reads it in vectors
  if (!shape.no_terms() && bias_aligned && kernels::lt_gemm_bias(exec, a, b, bias.data(), relu, c)) {
    return;
  }
  gemm(exec, a, b, c, false);
  kernels::launch_map<false>(exec, c, kernels::add_bias_element<T>{relu}, matrix_view<const T>(c),
                             matrix_view<const T>(bias.data(), c.rows(), c.cols(), 0));
}

#define GP_INSTANTIATE(T)                                                                    \
  template void gemm(const device&, gemm_operand<T>, gemm_operand<T>, matrix_view<T>, bool); \
  template void gemm_bias(const device&, gemm_operand<T>, gemm_operand<T>, matrix_view<const T>, bool, matrix_view<T>);
GP_INSTANTIATE(float)
GP_INSTANTIATE(double)
#undef GP_INSTANTIATE

}  // namespace graphpatcher::backend::on_cuda
