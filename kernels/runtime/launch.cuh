// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "graphpatcher/core/matrix.hpp"
#include "kernels/runtime/check.hpp"
#include "kernels/runtime/context.hpp"

/// What kernels and their launchers share: grids, packs of neighbouring
/// elements, and sums over a warp or a block in one fixed order.
namespace graphpatcher::kernels {

inline constexpr int warp_size = 32;
inline constexpr unsigned full_warp = 0xffffffffu;

/// Largest first dimension of a grid. Kernels whose count may need more walk on
/// by the size of the grid.
inline constexpr std::size_t largest_grid = 0x7fffffff;

template <class Integer>
constexpr __host__ __device__ Integer ceil_div(Integer count, std::type_identity_t<Integer> size) {
  return (count + size - 1) / size;
}

/// Blocks for `count` items of which a block takes `items_a_block`.
inline unsigned grid_for(std::size_t count, std::size_t items_a_block) {
  return static_cast<unsigned>(std::min(ceil_div(count, items_a_block), largest_grid));
}

/// Number of this thread in its grid, and how many there are (one dimension).
inline __device__ std::size_t grid_thread() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
inline __device__ std::size_t grid_threads() {
  return std::size_t{gridDim.x} * blockDim.x;
}

/// N neighbouring elements, read and written by one instruction (at most 16
/// bytes). The address must be a multiple of the pack's size.
template <class T, int N>
struct alignas(sizeof(T) * N) pack {
  T values[N];

  __device__ T& operator[](int i) { return values[i]; }
  __device__ const T& operator[](int i) const { return values[i]; }
};

template <int N, class T>
__device__ pack<T, N> load(const T* address) {
  return *reinterpret_cast<const pack<T, N>*>(address);
}
template <int N, class T>
__device__ void store(T* address, const pack<T, N>& values) {
  *reinterpret_cast<pack<T, N>*>(address) = values;
}

/// Elements in the widest pack, 16 bytes.
template <class T>
inline constexpr int full_pack = static_cast<int>(16 / sizeof(T));

/// Whether the rows of a view can be read in packs of N: rows start on a
/// multiple of the pack's size and consist of whole packs.
template <class T>
bool fits_pack(int n, const T* data, std::size_t stride, std::size_t cols) {
  const auto width = static_cast<std::size_t>(n);
  return cols % width == 0 && stride % width == 0 && reinterpret_cast<std::uintptr_t>(data) % (width * sizeof(T)) == 0;
}

/// The widest pack (4, 2 or 1 floats, 2 or 1 doubles) that fits.
template <class T>
int widest_pack(const T* data, std::size_t stride, std::size_t cols) {
  int n = full_pack<T>;
  while (n > 1 && !fits_pack(n, data, stride, cols)) {
    n /= 2;
  }
  return n;
}
/// The widest pack that fits all these views. A stride of 0 (one row for all)
/// fits any.
template <class T, class... Rest>
int widest_pack(matrix_view<T> first, const Rest&... rest) {
  const int n = widest_pack(first.data(), first.stride(), first.cols());
  if constexpr (sizeof...(rest) == 0) {
    return n;
  } else {
    return std::min(n, widest_pack(rest...));
  }
}

/// Whether every row of these views starts on a multiple of 16 bytes, so that
/// full packs can be read until the row's last columns.
template <class... Views>
bool rows_aligned(const Views&... views) {
  const auto aligned = [](const auto& view) {
    const auto address = reinterpret_cast<std::uintptr_t>(view.data());
    return address % 16 == 0 && (view.rows() <= 1 || view.stride() * sizeof(*view.data()) % 16 == 0);
  };
  return (aligned(views) && ...);
}

/// Calls body(std::integral_constant<int, N>) for N = `width`, a result of
/// widest_pack().
template <class T, class Body>
void with_pack(int width, Body&& body) {
  if (width == full_pack<T>) {
    body(std::integral_constant<int, full_pack<T>>{});
  } else if (full_pack<T> == 4 && width == 2) {
    body(std::integral_constant<int, 2>{});
  } else {
    body(std::integral_constant<int, 1>{});
  }
}

/// Lanes of the group of Lanes neighbours that this thread of a warp is in.
template <int Lanes = warp_size>
__device__ unsigned group_mask() {
  static_assert(Lanes >= 1 && Lanes <= warp_size && (Lanes & (Lanes - 1)) == 0);
  if constexpr (Lanes == warp_size) {
    return full_warp;
  } else {
    return ((1u << Lanes) - 1u) << (threadIdx.x % warp_size / Lanes * Lanes);
  }
}

/// Joins `value` of each group of Lanes neighbouring lanes, which all take part,
/// in one fixed tree: (v0 ∘ v1) ∘ (v2 ∘ v3) ... Every lane gets the result, the
/// same bits, because `join` commutes.
template <int Lanes = warp_size, class T, class Join>
__device__ T warp_join(T value, Join join) {
  const unsigned mask = group_mask<Lanes>();
#pragma unroll
  for (int distance = 1; distance < Lanes; distance *= 2) {
    value = join(value, __shfl_xor_sync(mask, value, distance));
  }
  return value;
}
template <int Lanes = warp_size, class T>
__device__ T warp_sum(T value) {
  return warp_join<Lanes>(value, [](T a, T b) { return a + b; });
}
/// A NaN loses against any number.
template <int Lanes = warp_size, class T>
__device__ T warp_max(T value) {
  return warp_join<Lanes>(value, [](T a, T b) { return a < b || a != a ? b : a; });
}

/// Sum over a block of Threads threads, all of which take part: a tree in each
/// warp, then a tree over the warps. Thread 0 gets it. Shared memory is the
/// caller's; it can be used again after a __syncthreads().
template <int Threads, class T>
__device__ T block_sum(T value, T (&warp_sums)[Threads / warp_size]) {
  constexpr int warps = Threads / warp_size;
  static_assert(Threads % warp_size == 0 && (warps & (warps - 1)) == 0 && warps <= warp_size);
  value = warp_sum(value);
  if constexpr (warps == 1) {
    return value;
  }
  if (threadIdx.x % warp_size == 0) {
    warp_sums[threadIdx.x / warp_size] = value;
  }
  __syncthreads();
  if (threadIdx.x < warp_size) {
    value = warp_sum<warps>(warp_sums[threadIdx.x % warps]);
  }
  return value;
}

}  // namespace graphpatcher::kernels
