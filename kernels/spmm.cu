// SPDX-License-Identifier: MIT
#include "kernels/spmm.cuh"

#include "graphpatcher/cuda/spmm.hpp"
#include "kernels/operations.hpp"

namespace graphpatcher::kernels {

template void row_sum(const device&, const row_sum_problem<float, float, std::int32_t>&, spmm_balance);
template void row_sum(const device&, const row_sum_problem<float, float, std::int64_t>&, spmm_balance);
template void row_sum(const device&, const row_sum_problem<double, double, std::int32_t>&, spmm_balance);
template void row_sum(const device&, const row_sum_problem<double, double, std::int64_t>&, spmm_balance);

}  // namespace graphpatcher::kernels

namespace graphpatcher::backend {

template <class T, graph_index I>
void spmm(const cuda& exec, const edge_view<I>& edges, const spmm_scales<T>& scales, std::span<const I> gather,
          matrix_view<const T> x, matrix_view<T> out, spmm_balance balance) {
  kernels::row_sum(exec, kernels::spmm_problem<T, T, I>(edges, scales, gather, x, out), balance);
}

template <class T, graph_index I>
void spmm_adjoint(const cuda& exec, const edge_view<I>& edges, const spmm_scales<T>& scales,
                  matrix_view<const T> gradient, matrix_view<T> x_gradient, spmm_balance balance) {
  kernels::row_sum(exec, kernels::spmm_adjoint_problem<T, I>(edges, scales, gradient, x_gradient), balance);
}

namespace on_cuda {

template <class T, graph_index I>
void spmm(const device& exec, const edge_view<I>& edges, const spmm_scales<T>& scales, std::span<const I> gather,
          matrix_view<const T> x, matrix_view<T> out) {
  kernels::row_sum(exec, kernels::spmm_problem<T, T, I>(edges, scales, gather, x, out));
}

template <class T, graph_index I>
void spmm_adjoint(const device& exec, const edge_view<I>& edges, const spmm_scales<T>& scales,
                  matrix_view<const T> gradient, matrix_view<T> x_gradient) {
  kernels::row_sum(exec, kernels::spmm_adjoint_problem<T, I>(edges, scales, gradient, x_gradient));
}

template <class T, graph_index I>
void spmm_weights_adjoint(const device& exec, const edge_view<I>& edges, const spmm_scales<T>& scales,
                          matrix_view<const T> gradient, matrix_view<const T> x, matrix_view<T> weights_gradient) {
  kernels::spmm_weights_adjoint<T, I>(exec, edges, scales, gradient, x, weights_gradient);
}

}  // namespace on_cuda

#define GP_INSTANTIATE(T, I)                                                                                           \
  template void spmm(const cuda&, const edge_view<I>&, const spmm_scales<T>&, std::span<const I>,                      \
                     matrix_view<const T>, matrix_view<T>, spmm_balance);                                              \
  template void spmm_adjoint(const cuda&, const edge_view<I>&, const spmm_scales<T>&, matrix_view<const T>,            \
                             matrix_view<T>, spmm_balance);                                                            \
  template void on_cuda::spmm(const device&, const edge_view<I>&, const spmm_scales<T>&, std::span<const I>,           \
                              matrix_view<const T>, matrix_view<T>);                                                   \
  template void on_cuda::spmm_adjoint(const device&, const edge_view<I>&, const spmm_scales<T>&, matrix_view<const T>, \
                                      matrix_view<T>);                                                                 \
  template void on_cuda::spmm_weights_adjoint(const device&, const edge_view<I>&, const spmm_scales<T>&,               \
                                              matrix_view<const T>, matrix_view<const T>, matrix_view<T>);
GP_INSTANTIATE(float, std::int32_t)
GP_INSTANTIATE(float, std::int64_t)
GP_INSTANTIATE(double, std::int32_t)
GP_INSTANTIATE(double, std::int64_t)
#undef GP_INSTANTIATE

}  // namespace graphpatcher::backend
