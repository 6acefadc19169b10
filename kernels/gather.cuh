// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "kernels/row_walk.cuh"
#include "kernels/runtime/launch.cuh"

namespace graphpatcher::kernels {

struct gather_policy {
  /// A thread holds one pack and a few addresses: any block size fills a
  /// multiprocessor of any compute capability.
  static constexpr int threads = 256;
};

/// out[i, :] = x[ids[i], :]
///
/// A group of lanes owns a tile of columns of one row, a lane one pack of up to
/// 16 bytes. Reads and writes rows · cols numbers, and an id a row and a tile.
template <int N, class T, class I>
static __global__ void __launch_bounds__(gather_policy::threads)
    gather_rows_kernel(int lanes, device_rows<const T> x, const I* ids, std::int64_t rows, std::int64_t cols,
                       device_rows<T> out) {
  const lane_group group(lanes);
  const std::int64_t tile = lanes * N;
  for (std::int64_t col = blockIdx.y * tile + group.lane * N; col < cols; col += gridDim.y * tile) {
#pragma unroll 1
    for (std::int64_t row = group.number(); row < rows; row += group.count()) {
      store(out.at(row, col), load<N>(x.at(ids[row], col)));
    }
  }
}

template <class T, class I>
void gather_rows(const device& exec, matrix_view<const T> x, std::span<const I> ids, matrix_view<T> out) {
  if (out.empty()) {
    return;
  }
  with_pack<T>(widest_pack(x, out), [&](auto width) {
    constexpr int N = decltype(width)::value;
    constexpr std::size_t threads = gather_policy::threads;
    const int lanes = lanes_for(out.cols() / N, 1);
    const auto group = static_cast<std::size_t>(lanes);
    const dim3 grid(grid_for(out.rows(), threads / group), tiles_for(out.cols(), group * N));
    gather_rows_kernel<N, T, I><<<grid, threads, 0, stream_of(exec)>>>(
        lanes, x, ids.data(), static_cast<std::int64_t>(out.rows()), static_cast<std::int64_t>(out.cols()), out);
    check_launch("gather_rows", grid, threads);
  });
}

}  // namespace graphpatcher::kernels
