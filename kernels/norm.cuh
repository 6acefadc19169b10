// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "kernels/runtime/grid_walk.cuh"
#include "kernels/runtime/quad.cuh"

/// Layer norm: every row for itself. (Batch norm is made of column sums and
/// functions of elements: norm.cu.)
namespace graphpatcher::kernels {

struct layer_norm_policy {
  int threads;

  static constexpr int most_threads = 256;
  static constexpr int narrow_lanes = 8;                                    ///< of a row that has few columns
  static constexpr std::size_t narrow_columns = 64;                         ///< at most: two quads a lane
  static constexpr layer_norm_policy for_capability(int) { return {256}; }  // bound by memory everywhere
};

template <class T>
__device__ T inverse_deviation_of(double variance, T eps) {
  return static_cast<T>(1.0 / sqrt(variance + static_cast<double>(eps)));
}

/// The row of the group of Lanes lanes that this thread is in, and the quads of
/// it that this lane owns: lane l has the quads l, l + Lanes, ...
template <int Lanes>
struct row_group {
  std::size_t row;
  std::size_t first;  // column

  __device__ row_group()
      : row((std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / Lanes),
        first(threadIdx.x % Lanes * std::size_t{quad_size}) {}

  /// Calls body(column, columns inside the row) for every quad of this lane.
  template <class Body>
  __device__ void each(std::size_t cols, Body&& body) const {
    for (std::size_t col = first; col < cols; col += Lanes * quad_size) {
      body(col, quad_count(col, cols));
    }
  }
};

/// mean = Σ x / n,   inverse = 1 / sqrt(Σ (x - mean)² / n + eps)
/// out = gain (x - mean) inverse + shift
///
/// A group of Lanes lanes owns a row. Sums in double: a lane's quads in
/// ascending order, then a tree over the lanes. Reads the row three times, from
/// memory the first time and from cache after that; writes it once.
template <int Lanes, bool Aligned, class T>
static __global__ void __launch_bounds__(layer_norm_policy::most_threads)
    layer_norm_kernel(std::size_t rows, std::size_t cols, device_view<const T> x, const T* gain, const T* shift, T eps,
                      T* means, T* inverse_deviations, device_view<T> out) {
  const row_group<Lanes> group;
  if (group.row >= rows) {
    return;  // the whole group
  }
  const T* const row = x.row(group.row);
  double sum = 0;
  group.each(cols, [&](std::size_t col, int count) {
    const auto values = load_quad<Aligned>(row + col, count);
    for (int i = 0; i < count; ++i) {
      sum += static_cast<double>(values[i]);
    }
  });
  const double mean = warp_sum<Lanes>(sum) / static_cast<double>(cols);
  double squares = 0;
  group.each(cols, [&](std::size_t col, int count) {
    const auto values = load_quad<Aligned>(row + col, count);
    for (int i = 0; i < count; ++i) {
      const double difference = static_cast<double>(values[i]) - mean;
      squares += difference * difference;
    }
  });
  const T centre = static_cast<T>(mean);
  const T inverse = inverse_deviation_of(warp_sum<Lanes>(squares) / static_cast<double>(cols), eps);
  if (group.first == 0) {
    means[group.row] = centre;
    inverse_deviations[group.row] = inverse;
  }
  group.each(cols, [&](std::size_t col, int count) {
    auto values = load_quad<Aligned>(row + col, count);
    const auto gains = load_quad<Aligned>(gain + col, count);
    const auto shifts = load_quad<Aligned>(shift + col, count);
#pragma unroll
    for (int i = 0; i < quad_size; ++i) {
      values[i] = gains[i] * ((values[i] - centre) * inverse) + shifts[i];
    }
    store_quad<Aligned>(out.row(group.row) + col, values, count);
  });
}

/// With s = gain g and n_c = (x_c - mean) inverse:
///   x_gradient_c += inverse (s_c - Σ s / n - n_c Σ s_k n_k / n)
///
/// Rows, sums and reads as in layer_norm_kernel: x, g and gain twice.
template <int Lanes, bool Aligned, class T>
static __global__ void __launch_bounds__(layer_norm_policy::most_threads)
    layer_norm_adjoint_kernel(std::size_t rows, std::size_t cols, device_view<const T> x, const T* gain, const T* means,
                              const T* inverse_deviations, device_view<const T> gradient, device_view<T> x_gradient) {
  const row_group<Lanes> group;
  if (group.row >= rows) {
    return;  // the whole group
  }
  const T centre = means[group.row];
  const T inverse = inverse_deviations[group.row];
  // Calls body(column, count, slopes, normal) for every quad of this lane.
  const auto each = [&](auto&& body) {
    group.each(cols, [&](std::size_t col, int count) {
      auto slopes = load_quad<Aligned>(gradient.row(group.row) + col, count);
      auto normal = load_quad<Aligned>(x.row(group.row) + col, count);
      const auto gains = load_quad<Aligned>(gain + col, count);
#pragma unroll
      for (int i = 0; i < quad_size; ++i) {
        slopes[i] = gains[i] * slopes[i];
        normal[i] = (normal[i] - centre) * inverse;
      }
      body(col, count, slopes, normal);
    });
  };
  double sum = 0;
  double product = 0;
  each([&](std::size_t, int count, const quad<T>& slopes, const quad<T>& normal) {
    for (int i = 0; i < count; ++i) {
      sum += static_cast<double>(slopes[i]);
      product += static_cast<double>(slopes[i] * normal[i]);
    }
  });
  const T mean_slope = static_cast<T>(warp_sum<Lanes>(sum) / static_cast<double>(cols));
  const T mean_product = static_cast<T>(warp_sum<Lanes>(product) / static_cast<double>(cols));
  each([&](std::size_t col, int count, const quad<T>& slopes, const quad<T>& normal) {
    T* const at = x_gradient.row(group.row) + col;
    auto result = load_quad<Aligned>(at, count);
#pragma unroll
    for (int i = 0; i < quad_size; ++i) {
      result[i] += inverse * (slopes[i] - mean_slope - normal[i] * mean_product);
    }
    store_quad<Aligned>(at, result, count);
  });
}

/// Calls launch(lanes, aligned, grid, threads), the first two as constants, for
/// rows of this width.
template <class Launch>
void with_row_groups(const device& exec, std::size_t rows, std::size_t cols, bool aligned, Launch&& launch) {
  using policy_type = layer_norm_policy;
  const auto policy = policy_type::for_capability(context_of(exec).compute_capability());
  const auto choose = [&](auto lanes) {
    const unsigned grid = grid_for(rows, policy.threads / decltype(lanes)::value);
    if (aligned) {
      launch(lanes, std::true_type{}, grid, policy.threads);
    } else {
      launch(lanes, std::false_type{}, grid, policy.threads);
    }
  };
  if (cols <= policy_type::narrow_columns) {
    choose(std::integral_constant<int, policy_type::narrow_lanes>{});
  } else {
    choose(std::integral_constant<int, warp_size>{});
  }
}

template <class T>
void launch_layer_norm(const device& exec, matrix_view<const T> x, matrix_view<const T> gain,
                       matrix_view<const T> shift, T eps, std::span<T> mean, std::span<T> inverse_deviation,
                       matrix_view<T> out) {
  if (x.empty()) {
    return;
  }
  with_row_groups(exec, x.rows(), x.cols(), rows_aligned(x, gain, shift, out),
                  [&](auto lanes, auto aligned, unsigned grid, int threads) {
                    layer_norm_kernel<decltype(lanes)::value, decltype(aligned)::value, T>
                        <<<grid, threads, 0, stream_of(exec)>>>(x.rows(), x.cols(), on_device(x), gain.data(),
                                                                shift.data(), eps, mean.data(),
                                                                inverse_deviation.data(), on_device(out));
                    check_launch("layer_norm", grid, threads);
                  });
}

template <class T>
void launch_layer_norm_adjoint(const device& exec, matrix_view<const T> x, matrix_view<const T> gain,
                               std::span<const T> mean, std::span<const T> inverse_deviation,
                               matrix_view<const T> gradient, matrix_view<T> x_gradient) {
  if (x.empty()) {
    return;
  }
  with_row_groups(exec, x.rows(), x.cols(), rows_aligned(x, gain, gradient, x_gradient),
                  [&](auto lanes, auto aligned, unsigned grid, int threads) {
                    layer_norm_adjoint_kernel<decltype(lanes)::value, decltype(aligned)::value, T>
                        <<<grid, threads, 0, stream_of(exec)>>>(x.rows(), x.cols(), on_device(x), gain.data(),
                                                                mean.data(), inverse_deviation.data(),
                                                                on_device(gradient), on_device(x_gradient));
                    check_launch("layer_norm_adjoint", grid, threads);
                  });
}

}  // namespace graphpatcher::kernels
