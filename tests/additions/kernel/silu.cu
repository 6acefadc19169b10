// SPDX-License-Identifier: MIT
#include <kernels/runtime/launch.cuh>

#include "additions/kernel/silu.hpp"
#include "additions/op/silu_kernels.hpp"

namespace own {

using gp::kernels::grid_thread, gp::kernels::grid_threads;

/// A thread holds one element and a few addresses: any block size fills a multiprocessor.
constexpr int block = 256;

/// y = x σ(x)
///
/// A thread owns one element after another, a grid apart; neighbours own neighbours, so a warp reads and writes whole
/// sectors. Every number is read once and written once (8 bytes an element in float): memory decides.
template <class T>
__global__ void __launch_bounds__(block)
    silu_kernel(const T* x, std::size_t x_stride, std::size_t rows, std::size_t cols, T* y, std::size_t y_stride) {
  for (std::size_t i = grid_thread(); i < rows * cols; i += grid_threads()) {
    const T value = x[i / cols * x_stride + i % cols];
    y[i / cols * y_stride + i % cols] = value / (1 + exp(-value));
  }
}

/// dx += g σ(x) (1 + x (1 - σ(x))): reads three numbers and writes one.
template <class T>
__global__ void __launch_bounds__(block)
    silu_adjoint_kernel(const T* x, std::size_t x_stride, const T* g, std::size_t g_stride, std::size_t rows,
                        std::size_t cols, T* dx, std::size_t dx_stride) {
  for (std::size_t i = grid_thread(); i < rows * cols; i += grid_threads()) {
    const T value = x[i / cols * x_stride + i % cols];
    const T s = 1 / (1 + exp(-value));
    dx[i / cols * dx_stride + i % cols] += g[i / cols * g_stride + i % cols] * s * (1 + value * (1 - s));
  }
}

template <class T>
void silu_on_gpu(const gp::device& exec, gp::matrix_view<const T> x, gp::matrix_view<T> y) {
  if (y.empty()) {
    return;
  }
  const unsigned blocks = gp::kernels::grid_for(y.size(), block);
  silu_kernel<<<blocks, block, 0, gp::stream_of(exec)>>>(x.data(), x.stride(), x.rows(), x.cols(), y.data(),
                                                         y.stride());
  gp::check_launch("silu", blocks, block);
}

template <class T>
void silu_adjoint_on_gpu(const gp::device& exec, gp::matrix_view<const T> x, gp::matrix_view<const T> g,
                         gp::matrix_view<T> dx) {
  if (dx.empty()) {
    return;
  }
  const unsigned blocks = gp::kernels::grid_for(dx.size(), block);
  silu_adjoint_kernel<<<blocks, block, 0, gp::stream_of(exec)>>>(x.data(), x.stride(), g.data(), g.stride(), x.rows(),
                                                                 x.cols(), dx.data(), dx.stride());
  gp::check_launch("silu_adjoint", blocks, block);
}

void use_silu_kernels() {
  silu_table<float> = {silu_on_gpu<float>, silu_adjoint_on_gpu<float>};
  silu_table<double> = {silu_on_gpu<double>, silu_adjoint_on_gpu<double>};
}

}  // namespace own
