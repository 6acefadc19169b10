// SPDX-License-Identifier: MIT
#include "kernels/optimizer.cuh"

#include "graphpatcher/cuda/optimizer.hpp"

namespace graphpatcher::backend {

template <class T>
void adam_step(const cuda& exec, std::span<const adam_item<T>> items) {
  kernels::launch_optimizer<T>(exec, items);
}

template <class T>
void sgd_step(const cuda& exec, std::span<const sgd_item<T>> items) {
  kernels::launch_optimizer<T>(exec, items);
}

template void adam_step(const cuda&, std::span<const adam_item<float>>);
template void adam_step(const cuda&, std::span<const adam_item<double>>);
template void sgd_step(const cuda&, std::span<const sgd_item<float>>);
template void sgd_step(const cuda&, std::span<const sgd_item<double>>);

}  // namespace graphpatcher::backend
