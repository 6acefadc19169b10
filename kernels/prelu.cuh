// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/runtime/grid_walk.cuh"

/// PReLU by element: functions for launch_map() (elementwise.cuh), and the term
/// of its slope's gradient for sums (reductions.cuh). The slope is one a column,
/// or one number that all columns share, read on the device.
namespace graphpatcher::kernels {

template <class T>
struct prelu_element {
  __device__ T operator()(T x, T slope) const { return x > T(0) ? x : slope * x; }
};
template <class T>
struct prelu_slope_element {
  __device__ T operator()(T x, T slope, T g) const { return x > T(0) ? g : slope * g; }
};

template <class T>
struct shared_prelu_element {
  const T* slope;
  __device__ T operator()(T x) const { return x > T(0) ? x : *slope * x; }
};
template <class T>
struct shared_prelu_slope_element {
  const T* slope;
  __device__ T operator()(T x, T g) const { return x > T(0) ? g : *slope * g; }
};

/// x g where x is not positive.
template <class Sum, class T>
struct prelu_term {
  device_view<const T> x;
  device_view<const T> g;
  __device__ Sum operator()(std::size_t row, std::size_t col) const {
    const T value = x(row, col);
    return value > T(0) ? Sum(0) : static_cast<Sum>(value * g(row, col));
  }
};

}  // namespace graphpatcher::kernels
