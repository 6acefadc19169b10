// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "kernels/row_walk.cuh"
#include "kernels/runtime/launch.cuh"

/// Products of the heads of a row with one vector; equations in
/// ops/edge_softmax.hpp. The adjoint with respect to the vector is row_sum.cuh's
/// sum over one long row.
namespace graphpatcher::kernels {

struct head_dot_policy {
  static constexpr int threads = 256;
};

/// out(i, h) = <z_i, l> over slice h
///
/// A group of lanes owns one head of one row; neighbouring groups own
/// neighbouring heads, whose slices are neighbours in memory. A lane adds up its
/// packs, then the lanes are added in a fixed tree. Reads z once.
template <int N, class T>
static __global__ void __launch_bounds__(head_dot_policy::threads)
    head_dots(int lanes, std::int64_t rows, std::int64_t heads, std::int64_t width, device_rows<const T> z,
              device_rows<const T> l, device_rows<T> out) {
  const lane_group group(lanes);
#pragma unroll 1
  for (std::int64_t first = group.warp_number(); first < rows * heads; first += group.count()) {
    const std::int64_t unit = first + group.first / group.size;
    const std::int64_t row = unit / heads;
    const std::int64_t head = unit - row * heads;
    const bool there = row < rows;
    const T part = there ? partial_dot<N>(z.at(row, head * width), l.at(0, head * width), group, width) : T(0);
    const T sum = group.sum(part);
    if (there && group.lane == 0) {
      *out.at(row, head) = sum;
    }
  }
}

/// z_gradient(i, c) += gradient(i, head of c) · l(0, c)
///
/// A group of lanes owns a tile of columns of one row, a lane one pack of it.
template <int N, class T>
static __global__ void __launch_bounds__(head_dot_policy::threads)
    head_dots_adjoint(int lanes, std::int64_t rows, std::int64_t cols, std::int64_t width, device_rows<const T> l,
                      device_rows<const T> gradient, device_rows<T> z_gradient) {
  const lane_group group(lanes);
  const std::int64_t tile = lanes * N;
  for (std::int64_t col = blockIdx.y * tile + group.lane * N; col < cols; col += gridDim.y * tile) {
    const auto factor = load<N>(l.at(0, col));
    const std::int64_t head = col / width;
#pragma unroll 1
    for (std::int64_t row = group.number(); row < rows; row += group.count()) {
      const T value = *gradient.at(row, head);
      auto sum = load<N>(z_gradient.at(row, col));
#pragma unroll
      for (int i = 0; i < N; ++i) {
        sum[i] += value * factor[i];
      }
      store(z_gradient.at(row, col), sum);
    }
  }
}

/// Calls launch(N) for the widest packs, 16 bytes or single numbers, that lie in
/// one head and fit z and l.
template <class T, class Z, class Launch>
void with_head_pack(matrix_view<Z> z, matrix_view<const T> l, std::size_t width, Launch&& launch) {
  constexpr int widest = full_pack<T>;
  if (fits_pack(widest, z.data(), z.stride(), width) && fits_pack(widest, l.data(), std::size_t{0}, width)) {
    launch(std::integral_constant<int, widest>{});
  } else {
    launch(std::integral_constant<int, 1>{});
  }
}

template <class T>
void head_dot(const device& exec, matrix_view<const T> z, matrix_view<const T> l, matrix_view<T> out) {
  if (out.empty()) {
    return;
  }
  const std::size_t width = z.cols() / out.cols();
  with_head_pack(z, l, width, [&](auto n) {
    constexpr int N = decltype(n)::value;
    constexpr std::size_t threads = head_dot_policy::threads;
    const int lanes = lanes_for(width / N, 1);
    const dim3 grid(grid_for(out.size(), threads / static_cast<std::size_t>(lanes)));
    head_dots<N, T><<<grid, threads, 0, stream_of(exec)>>>(lanes, static_cast<std::int64_t>(out.rows()),
                                                           static_cast<std::int64_t>(out.cols()),
                                                           static_cast<std::int64_t>(width), z, l, out);
    check_launch("head_dots", grid, threads);
  });
}

template <class T>
void head_dot_adjoint_z(const device& exec, matrix_view<const T> l, matrix_view<const T> gradient,
                        matrix_view<T> z_gradient) {
  if (z_gradient.empty()) {
    return;
  }
  const std::size_t width = z_gradient.cols() / gradient.cols();
  with_head_pack(z_gradient, l, width, [&](auto n) {
    constexpr int N = decltype(n)::value;
    constexpr std::size_t threads = head_dot_policy::threads;
    const int lanes = lanes_for(z_gradient.cols() / N, 1);
    const auto group = static_cast<std::size_t>(lanes);
    const dim3 grid(grid_for(z_gradient.rows(), threads / group), tiles_for(z_gradient.cols(), group * N));
    head_dots_adjoint<N, T><<<grid, threads, 0, stream_of(exec)>>>(
        lanes, static_cast<std::int64_t>(z_gradient.rows()), static_cast<std::int64_t>(z_gradient.cols()),
        static_cast<std::int64_t>(width), l, gradient, z_gradient);
    check_launch("head_dots_adjoint", grid, threads);
  });
}

}  // namespace graphpatcher::kernels
