// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphpatcher/core/device_memory.hpp"
#include "kernels/runtime/launch.cuh"

/// Running sums: the step between counting and filling. Integers, so every
/// order gives the same result; sums are taken in 64 bits whatever is stored.
namespace graphpatcher::kernels {

struct scan_policy {
  static constexpr int threads = 256;
  static constexpr int items = 8;  ///< a thread
  static constexpr int tile = threads * items;
};

/// Sum of the values of this thread and those before it in the block, all
/// threads of which take part; `total`: the sum over the block. `warp_sums` can
/// be used again after a __syncthreads().
template <int Threads, class T>
__device__ T block_running_sum(T value, T (&warp_sums)[Threads / warp_size], T& total) {
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const T before = __shfl_up_sync(full_warp, value, distance);
    value += lane >= distance ? before : T(0);
  }
  if (lane == warp_size - 1) {
    warp_sums[warp] = value;
  }
  __syncthreads();
  total = 0;
#pragma unroll
  for (int w = 0; w < Threads / warp_size; ++w) {
    value += w < warp ? warp_sums[w] : T(0);
    total += warp_sums[w];
  }
  return value;
}

/// sums[t] = sum of tile t; a block owns a tile.
template <class T>
static __global__ void __launch_bounds__(scan_policy::threads)
    tile_sums_kernel(const T* __restrict__ values, std::size_t stride, std::size_t count,
                     std::uint64_t* __restrict__ sums) {
  __shared__ std::uint64_t warp_sums[scan_policy::threads / warp_size];
  const std::size_t first = std::size_t{blockIdx.x} * scan_policy::tile + threadIdx.x;
  std::uint64_t sum = 0;
#pragma unroll
  for (int i = 0; i < scan_policy::items; ++i) {
    const std::size_t n = first + i * scan_policy::threads;
    sum += n < count ? static_cast<std::uint64_t>(values[n * stride]) : 0;
  }
  sum = block_sum<scan_policy::threads>(sum, warp_sums);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
  }
}

/// sums[t] becomes the sum of the tiles before t, *total that of all; one block.
static __global__ void __launch_bounds__(scan_policy::threads)
    scan_tiles_kernel(std::uint64_t* __restrict__ sums, std::size_t tiles, std::uint64_t* __restrict__ total) {
  __shared__ std::uint64_t warp_sums[scan_policy::threads / warp_size];
  std::uint64_t before = 0;
  for (std::size_t first = 0; first < tiles; first += scan_policy::threads) {
    const std::size_t t = first + threadIdx.x;
    const std::uint64_t own = t < tiles ? sums[t] : 0;
    std::uint64_t added = 0;
    const std::uint64_t running = block_running_sum<scan_policy::threads>(own, warp_sums, added);
    if (t < tiles) {
      sums[t] = before + running - own;
    }
    before += added;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *total = before;
  }
}

/// out[n + 1] = sum of values 0 .. n, out[0] = 0; a block owns a tile, a thread
/// `items` neighbouring values.
template <class T, class Out>
static __global__ void __launch_bounds__(scan_policy::threads)
    running_sums_kernel(const T* __restrict__ values, std::size_t stride, std::size_t count,
                        const std::uint64_t* __restrict__ tile_starts, Out* __restrict__ out) {
  __shared__ std::uint64_t warp_sums[scan_policy::threads / warp_size];
  const std::size_t first = std::size_t{blockIdx.x} * scan_policy::tile + threadIdx.x * scan_policy::items;
  std::uint64_t own[scan_policy::items];
  std::uint64_t sum = 0;
#pragma unroll
  for (int i = 0; i < scan_policy::items; ++i) {
    own[i] = first + i < count ? static_cast<std::uint64_t>(values[(first + i) * stride]) : 0;
    sum += own[i];
  }
  std::uint64_t total = 0;
  std::uint64_t running =
      tile_starts[blockIdx.x] + block_running_sum<scan_policy::threads>(sum, warp_sums, total) - sum;
  if (first == 0) {
    out[0] = 0;
  }
#pragma unroll
  for (int i = 0; i < scan_policy::items; ++i) {
    running += own[i];
    if (first + i < count) {
      out[first + i + 1] = static_cast<Out>(running);
    }
  }
}

/// out[n] = values[0] + ... + values[(n - 1) · stride] for n = 0 .. count, and
/// *total = out[count] in 64 bits, which a narrow Out may not hold. count > 0.
template <class T, class Out>
void running_sums(const device& exec, const T* values, std::size_t stride, std::size_t count, Out* out,
                  std::uint64_t* total) {
  constexpr int threads = scan_policy::threads;
  const std::size_t tiles = ceil_div(count, scan_policy::tile);
  expects<overflow_error>(tiles <= largest_grid, "running_sums: ", count, " values are more than one launch takes");
  const auto grid = static_cast<unsigned>(tiles);
  const backend::device_array<std::uint64_t> sums(exec, tiles);
  tile_sums_kernel<<<grid, threads, 0, stream_of(exec)>>>(values, stride, count, sums.data());
  check_launch("tile_sums", grid, threads);
  scan_tiles_kernel<<<1, threads, 0, stream_of(exec)>>>(sums.data(), tiles, total);
  check_launch("scan_tiles", 1, threads);
  running_sums_kernel<<<grid, threads, 0, stream_of(exec)>>>(values, stride, count, sums.data(), out);
  check_launch("running_sums", grid, threads);
}

}  // namespace graphpatcher::kernels
