// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/runtime/launch.cuh"

namespace graphpatcher::kernels {

/// Four neighbouring columns of a row, starting on a multiple of four: what one
/// Philox block serves, and the share of a lane where a row is summed up. Who
/// owns which columns follows from the width alone, so the alignment of a view
/// never changes a bit of the result, only how memory is read.
inline constexpr int quad_size = 4;

template <class T>
struct quad {
  T values[quad_size];

  __device__ T& operator[](int i) { return values[i]; }
  __device__ const T& operator[](int i) const { return values[i]; }
};

/// Columns of the quad that starts at `col` which are inside the row: 1 to 4.
inline __device__ int quad_count(std::size_t col, std::size_t cols) {
  return static_cast<int>(min(cols - col, std::size_t{quad_size}));
}

/// The first `count` elements at `address`, the others zero. With Aligned a
/// whole quad is read 16 bytes at a time; else its four reads meet the same
/// sectors, in cache after the first.
template <bool Aligned, class T>
__device__ quad<T> load_quad(const T* address, int count) {
  quad<T> result{};
  if (Aligned && count == quad_size) {
#pragma unroll
    for (int i = 0; i < quad_size; i += full_pack<T>) {
      const auto part = load<full_pack<T>>(address + i);
#pragma unroll
      for (int j = 0; j < full_pack<T>; ++j) {
        result[i + j] = part[j];
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < quad_size; ++i) {
      if (i < count) {
        result[i] = address[i];
      }
    }
  }
  return result;
}

template <bool Aligned, class T>
__device__ void store_quad(T* address, const quad<T>& values, int count) {
  if (Aligned && count == quad_size) {
#pragma unroll
    for (int i = 0; i < quad_size; i += full_pack<T>) {
      pack<T, full_pack<T>> part;
#pragma unroll
      for (int j = 0; j < full_pack<T>; ++j) {
        part[j] = values[i + j];
      }
      store(address + i, part);
    }
  } else {
#pragma unroll
    for (int i = 0; i < quad_size; ++i) {
      if (i < count) {
        address[i] = values[i];
      }
    }
  }
}

}  // namespace graphpatcher::kernels
