// SPDX-License-Identifier: MIT
#include "kernels/dropout.cuh"

#include <cstdint>

#include "graphpatcher/cuda/dropout.hpp"

namespace graphpatcher::backend {

template <bool Accumulate, class T, graph_index I>
void dropout(const cuda& exec, random_stream stream, double probability, std::span<const I> keys,
             matrix_view<const T> x, matrix_view<T> y) {
  kernels::launch_dropout<Accumulate, kernels::plain_input<T>>(exec, stream, probability, keys, x, nullptr, y);
}

template <class T, graph_index I>
void bias_relu_dropout(const cuda& exec, random_stream stream, double probability, std::span<const I> keys,
                       matrix_view<const T> x, matrix_view<const T> bias, matrix_view<T> y) {
  kernels::launch_dropout<false, kernels::bias_relu_input<T>>(exec, stream, probability, keys, x, bias.data(), y);
}

#define GP_INSTANTIATE(T, I)                                                                                    \
  template void dropout<false>(const cuda&, random_stream, double, std::span<const I>, matrix_view<const T>,    \
                               matrix_view<T>);                                                                 \
  template void dropout<true>(const cuda&, random_stream, double, std::span<const I>, matrix_view<const T>,     \
                              matrix_view<T>);                                                                  \
  template void bias_relu_dropout(const cuda&, random_stream, double, std::span<const I>, matrix_view<const T>, \
                                  matrix_view<const T>, matrix_view<T>);

GP_INSTANTIATE(float, std::int32_t)
GP_INSTANTIATE(double, std::int32_t)
GP_INSTANTIATE(float, std::int64_t)
GP_INSTANTIATE(double, std::int64_t)
#undef GP_INSTANTIATE

}  // namespace graphpatcher::backend
