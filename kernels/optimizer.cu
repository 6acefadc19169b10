// SPDX-License-Identifier: MIT
#include "kernels/optimizer.cuh"

#include "kernels/operations.hpp"

namespace graphpatcher::backend::on_cuda {

template <class T>
void adam_step(const device& exec, std::span<const adam_item<T>> items) {
  kernels::launch_optimizer<T>(exec, items);
}

template <class T>
void sgd_step(const device& exec, std::span<const sgd_item<T>> items) {
  kernels::launch_optimizer<T>(exec, items);
}

template void adam_step(const device&, std::span<const adam_item<float>>);
template void adam_step(const device&, std::span<const adam_item<double>>);
template void sgd_step(const device&, std::span<const sgd_item<float>>);
template void sgd_step(const device&, std::span<const sgd_item<double>>);

}  // namespace graphpatcher::backend::on_cuda
