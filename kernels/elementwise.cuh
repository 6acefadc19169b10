// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "kernels/runtime/grid_walk.cuh"

/// Functions of single elements, over whole matrices.
namespace graphpatcher::kernels {

using elementwise_policy = walk_policy;

/// out(r, c) = (or += with Accumulate) f(inputs(r, c)...)
///
/// A thread computes N neighbouring columns and walks on by the size of the
/// grid. Where a whole pack is left in a row it is read and written by one
/// instruction; the rest of a row goes element by element. Moves every input
/// and the result once (twice with Accumulate). An input may be `out`: each
/// element is read before it is written, by the same thread.
template <bool Accumulate, int N, class T, class Function, class... Inputs>
static __global__ void __launch_bounds__(elementwise_policy::most_threads)
    map_kernel(grid_walk walk, std::size_t cols, device_view<T> out, Function f, Inputs... inputs) {
  walk.each([&](std::size_t row, std::size_t step) {
    const std::size_t col = step * N;
    T* const y = out.row(row) + col;
    const auto whole_pack = [&](const auto&... x) {
      pack<T, N> result{};
      if constexpr (Accumulate) {
        result = load<N>(y);
      }
#pragma unroll
      for (int i = 0; i < N; ++i) {
        result[i] = Accumulate ? result[i] + f(x[i]...) : f(x[i]...);
      }
      store(y, result);
    };
    if (col + N <= cols) {
      whole_pack(load<N>(inputs.row(row) + col)...);
    } else {
      for (std::size_t i = 0; i < cols - col; ++i) {
        const T value = f(inputs.row(row)[col + i]...);
        y[i] = Accumulate ? y[i] + value : value;
      }
    }
  });
}

/// Whether rows of all views follow each other without a gap, so that they can
/// be taken as one long row.
template <class... Views>
bool all_contiguous(const Views&... views) {
  return (views.contiguous() && ...);
}

/// out = (or += with Accumulate) f(inputs...). Inputs are matrix_view<const T>
/// of out's shape; a stride of 0 repeats one row.
template <bool Accumulate, class T, class Function, class... Inputs>
void launch_map(const device& exec, matrix_view<T> out, Function f, const Inputs&... inputs) {
  if (out.empty()) {
    return;
  }
  if (out.rows() > 1 && all_contiguous(out, inputs...)) {
    const auto flat = [](const auto& view) { return std::decay_t<decltype(view)>(view.data(), 1, view.size()); };
    launch_map<Accumulate>(exec, flat(out), f, flat(inputs)...);
    return;
  }
  const bool aligned = rows_aligned(out, inputs...);
  const auto policy = elementwise_policy::for_capability(context_of(exec).compute_capability());
  const auto launch = [&](auto width) {
    constexpr int n = decltype(width)::value;
    const grid_walk walk(out.rows(), ceil_div(out.cols(), n), policy, context_of(exec).multiprocessors());
    map_kernel<Accumulate, n><<<walk.blocks(), policy.threads, 0, stream_of(exec)>>>(walk, out.cols(), on_device(out),
                                                                                     f, on_device(inputs)...);
    check_launch("map", walk.blocks(), policy.threads);
  };
  if (aligned) {
    launch(std::integral_constant<int, full_pack<T>>{});
  } else {
    launch(std::integral_constant<int, 1>{});
  }
}

/// A number that an earlier kernel has written, for launch_map().
template <class T>
struct from_device {
  const T* value;
  __device__ T operator()() const { return *value; }
};

/// x + bias, or relu of that, for launch_map().
template <class T>
struct add_bias_element {
  bool relu;
  __device__ T operator()(T x, T bias) const {
    const T sum = x + bias;
    return relu && sum <= T(0) ? T(0) : sum;
  }
};

/// A row that is read for every row of a matrix.
template <class T>
matrix_view<const T> repeated(const T* row, std::size_t rows, std::size_t cols) {
  return {row, rows, cols, 0};
}

/// x(r, c) *= weights[r]
///
/// Threads as in map_kernel, one element each. Reads a weight an element from
/// cache, moves x twice.
template <class T>
static __global__ void __launch_bounds__(elementwise_policy::most_threads)
    scale_rows_kernel(grid_walk walk, const T* weights, device_view<T> x) {
  walk.each([&](std::size_t row, std::size_t col) { x(row, col) *= weights[row]; });
}

template <class T>
void launch_scale_rows(const device& exec, const T* weights, matrix_view<T> x) {
  if (x.empty()) {
    return;
  }
  const auto policy = elementwise_policy::for_capability(context_of(exec).compute_capability());
  const grid_walk walk(x.rows(), x.cols(), policy, context_of(exec).multiprocessors());
  scale_rows_kernel<<<walk.blocks(), policy.threads, 0, stream_of(exec)>>>(walk, weights, on_device(x));
  check_launch("scale_rows", walk.blocks(), policy.threads);
}

}  // namespace graphpatcher::kernels
