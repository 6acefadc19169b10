// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "kernels/runtime/grid_walk.cuh"

/// What softmax and all losses share: rows of logits. A group of Lanes neighbouring lanes
/// owns a row, lane l its columns l, l + Lanes, ...; sums run over a lane's
/// columns in ascending order, then in a tree over the lanes. Rows have few
/// columns (classes): what a pass has read the next one finds in cache.
namespace graphpatcher::kernels {

struct loss_policy {
  int threads;

  static constexpr int most_threads = 128;
  static constexpr int blocks_a_multiprocessor = 8;                   ///< at least: up to 64 registers a thread
  static constexpr int narrow_lanes = 8;                              ///< of a row that has few columns
  static constexpr std::size_t narrow_columns = 16;                   ///< at most: two a lane
  static constexpr loss_policy for_capability(int) { return {128}; }  // short rows, bound by latency
};

/// What a stable softmax subtracts and divides by: softmax of x is
/// exp(x - largest) / sum, its logarithm x - largest - log(sum).
template <class T>
struct softmax_scale {
  T largest;
  T sum;

  __device__ T probability(T x) const { return exp(x - largest) / sum; }
  __device__ T log_probability(T x) const { return x - largest - log(sum); }
};

/// The columns of one row that this lane owns.
template <int Lanes>
struct row_share {
  std::size_t lane;
  std::size_t cols;

  template <class Body>
  __device__ void each(Body&& body) const {
    for (std::size_t c = lane; c < cols; c += Lanes) {
      body(c);
    }
  }
  /// The sum of every lane's value; every lane gets it.
  template <class T>
  __device__ T join(T value) const {
    return warp_sum<Lanes>(value);
  }
  /// Σ_c term(c) over the whole row; every lane gets it.
  template <class T, class Term>
  __device__ T sum(Term&& term) const {
    T total = 0;
    each([&](std::size_t c) { total += term(c); });
    return join(total);
  }
  template <class T>
  __device__ softmax_scale<T> scale_of(const T* row) const {
    T largest = -std::numeric_limits<T>::infinity();
    each([&](std::size_t c) { largest = largest < row[c] ? row[c] : largest; });
    largest = warp_max<Lanes>(largest);
    return {largest, sum<T>([&](std::size_t c) { return exp(row[c] - largest); })};
  }
};

/// Calls work(row, share) for every row, a group of Lanes lanes a row.
///
/// Work is a functor of loss.cuh; each says what it moves.
template <int Lanes, class Work>
static __global__ void __launch_bounds__(loss_policy::most_threads, loss_policy::blocks_a_multiprocessor)
    row_groups_kernel(std::size_t rows, std::size_t cols, Work work) {
  const std::size_t row = grid_thread() / Lanes;
  if (row < rows) {  // the whole group or none of it
    work(row, row_share<Lanes>{threadIdx.x % Lanes, cols});
  }
}

template <class Work>
void launch_row_groups(const device& exec, const char* name, std::size_t rows, std::size_t cols, Work work) {
  if (rows == 0 || cols == 0) {
    return;
  }
  const auto policy = loss_policy::for_capability(context_of(exec).compute_capability());
  const auto launch = [&](auto lanes) {
    constexpr int group = decltype(lanes)::value;
    const unsigned grid = grid_for(rows, policy.threads / group);
    row_groups_kernel<group><<<grid, policy.threads, 0, stream_of(exec)>>>(rows, cols, work);
    check_launch(name, grid, policy.threads);
  };
  if (cols <= loss_policy::narrow_columns) {
    launch(std::integral_constant<int, loss_policy::narrow_lanes>{});
  } else {
    launch(std::integral_constant<int, warp_size>{});
  }
}

}  // namespace graphpatcher::kernels
