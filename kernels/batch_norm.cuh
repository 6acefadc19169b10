// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/norm.cuh"
#include "kernels/reductions.cuh"
#include "kernels/runtime/grid_walk.cuh"

/// Batch norm out of column sums (reductions.cuh) and functions of elements
/// (elementwise.cuh): the terms that are summed, what is made of the sums, and
/// the functions. Equations in ops/norm.hpp.
namespace graphpatcher::kernels {

template <class T>
struct squared_difference_term {
  device_view<const T> x;
  const double* means;
  __device__ double operator()(std::size_t row, std::size_t col) const {
    const double difference = static_cast<double>(x(row, col)) - means[col];
    return difference * difference;
  }
};
/// g · normalised x; the moments belong to rows (layer norm) or columns.
template <class T>
struct gain_term {
  device_view<const T> x;
  device_view<const T> gradient;
  const T* mean;
  const T* inverse_deviation;
  bool by_rows;
  __device__ double operator()(std::size_t row, std::size_t col) const {
    const std::size_t k = by_rows ? row : col;
    return static_cast<double>(gradient(row, col) * ((x(row, col) - mean[k]) * inverse_deviation[k]));
  }
};
/// g, and g · normalised x.
template <class T>
struct batch_slope_terms {
  device_view<const T> x;
  device_view<const T> gradient;
  const T* mean;
  const T* inverse_deviation;
  __device__ two_sums operator()(std::size_t row, std::size_t col) const {
    const T g = gradient(row, col);
    return {static_cast<double>(g), static_cast<double>(g * ((x(row, col) - mean[col]) * inverse_deviation[col]))};
  }
};

struct write_column_means {
  double* means;
  double rows;
  __device__ void operator()(std::size_t, std::size_t col, double sum) const { means[col] = sum / rows; }
};
template <class T>
struct write_batch_moments {
  const double* means;
  double rows;
  T momentum;
  T eps;
  T* running_mean;
  T* running_variance;
  T* mean;
  T* inverse_deviation;
  __device__ void operator()(std::size_t, std::size_t col, double squares) const {
    const T m = static_cast<T>(means[col]);
    mean[col] = m;
    inverse_deviation[col] = inverse_deviation_of(squares / rows, eps);
    running_mean[col] = (T(1) - momentum) * running_mean[col] + momentum * m;
    running_variance[col] = (T(1) - momentum) * running_variance[col] + momentum * static_cast<T>(squares / (rows - 1));
  }
};
template <class T>
struct write_mean_slopes {
  T* mean_slope;
  T* mean_product;
  double rows;
  __device__ void operator()(std::size_t, std::size_t col, const two_sums& sums) const {
    mean_slope[col] = static_cast<T>(sums.first / rows);
    mean_product[col] = static_cast<T>(sums.second / rows);
  }
};

template <class T>
struct inverse_deviation_element {
  T eps;
  __device__ T operator()(T variance) const { return inverse_deviation_of(static_cast<double>(variance), eps); }
};
template <class T>
struct normalise_element {
  __device__ T operator()(T x, T gain, T shift, T mean, T inverse) const {
    return gain * ((x - mean) * inverse) + shift;
  }
};
template <class T>
struct batch_adjoint_element {
  __device__ T operator()(T x, T g, T gain, T mean, T inverse, T mean_slope, T mean_product) const {
    const T centre = mean_slope + (x - mean) * inverse * mean_product;
    return inverse * gain * (g - centre);
  }
};

}  // namespace graphpatcher::kernels
