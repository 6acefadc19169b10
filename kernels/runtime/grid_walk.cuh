// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/runtime/capability.hpp"
#include "kernels/runtime/launch.cuh"

namespace graphpatcher::kernels {

/// How the threads of a grid go through a matrix of `rows` x `steps` (a step is
/// an element, or a pack of some). Thread t of n takes the steps t, t + n, ...
/// counted row after row, so that neighbouring threads read neighbouring
/// memory whatever the width. The next step is found by addition: a thread
/// divides once.
class grid_walk {
public:
  /// A grid with enough threads for every step, but no more blocks than keep
  /// `multiprocessors` busy.
  grid_walk(std::size_t rows, std::size_t steps, const walk_policy& policy, int multiprocessors)
      : rows_(rows), steps_(steps) {
    const auto threads_a_block = static_cast<std::size_t>(policy.threads);
    const auto most_blocks = static_cast<std::size_t>(policy.blocks_a_multiprocessor) * multiprocessors;
    blocks_ = static_cast<unsigned>(std::min(ceil_div(rows * steps, threads_a_block), most_blocks));
    const std::size_t threads = blocks_ * threads_a_block;
    row_stride_ = threads / steps;
    step_stride_ = threads % steps;
  }

  unsigned blocks() const noexcept { return blocks_; }

  /// Calls body(row, step) for every step of this thread.
  template <class Body>
  __device__ void each(Body&& body) const {
    const std::size_t first = grid_thread();
    std::size_t row = first / steps_;
    std::size_t step = first % steps_;
    while (row < rows_) {
      body(row, step);
      row += row_stride_;
      step += step_stride_;
      if (step >= steps_) {
        step -= steps_;
        row += 1;
      }
    }
  }

private:
  std::size_t rows_;
  std::size_t steps_;
  std::size_t row_stride_;   // rows and
  std::size_t step_stride_;  // steps from one step of a thread to its next
  unsigned blocks_;
};

/// A matrix_view for kernels, whose own functions are for the host.
template <class T>
struct device_view {
  T* data;
  std::size_t stride;

  __device__ T* row(std::size_t index) const { return data + index * stride; }
  __device__ T& operator()(std::size_t row, std::size_t col) const { return data[row * stride + col]; }
};

template <class T>
device_view<T> on_device(matrix_view<T> view) {
  return {view.data(), view.stride()};
}

}  // namespace graphpatcher::kernels
