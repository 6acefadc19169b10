// SPDX-License-Identifier: MIT
#include "kernels/dropout.cuh"

#include <cstdint>

#include "graphpatcher/cuda/dropout.hpp"
#include "kernels/operations.hpp"

namespace graphpatcher::backend {

template <class T, graph_index I>
void bias_relu_dropout(const cuda& exec, random_stream stream, double probability, std::span<const I> keys,
                       matrix_view<const T> x, matrix_view<const T> bias, matrix_view<T> y) {
  kernels::launch_dropout<false, kernels::bias_relu_input<T>>(exec, stream, probability, keys, x, bias.data(), y);
}

namespace on_cuda {

template <class T, graph_index I>
void dropout(const device& exec, random_stream stream, double probability, std::span<const I> keys,
             matrix_view<const T> x, matrix_view<T> y) {
  kernels::launch_dropout<false, kernels::plain_input<T>>(exec, stream, probability, keys, x, nullptr, y);
}

template <class T, graph_index I>
void dropout_add(const device& exec, random_stream stream, double probability, std::span<const I> keys,
                 matrix_view<const T> x, matrix_view<T> y) {
  kernels::launch_dropout<true, kernels::plain_input<T>>(exec, stream, probability, keys, x, nullptr, y);
}

}  // namespace on_cuda

#define GP_INSTANTIATE(T, I)                                                                                         \
  template void bias_relu_dropout(const cuda&, random_stream, double, std::span<const I>, matrix_view<const T>,      \
                                  matrix_view<const T>, matrix_view<T>);                                             \
  template void on_cuda::dropout(const device&, random_stream, double, std::span<const I>, matrix_view<const T>,     \
                                 matrix_view<T>);                                                                    \
  template void on_cuda::dropout_add(const device&, random_stream, double, std::span<const I>, matrix_view<const T>, \
                                     matrix_view<T>);

GP_INSTANTIATE(float, std::int32_t)
GP_INSTANTIATE(double, std::int32_t)
GP_INSTANTIATE(float, std::int64_t)
GP_INSTANTIATE(double, std::int64_t)
#undef GP_INSTANTIATE

}  // namespace graphpatcher::backend
