// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "kernels/elementwise.cuh"
#include "kernels/group_by.hpp"
#include "kernels/runtime/grid_walk.cuh"

/// The adjoint of every loss: slopes times the loss's gradient, which is read on
/// the device, added to the gradient of the logits.
namespace graphpatcher::kernels {

/// weight · loss_gradient · slope, the gradient of the loss read on the device.
template <class T>
struct scaled_slope {
  T weight;
  const T* loss_gradient;
  __device__ T operator()(T slope) const { return weight * *loss_gradient * slope; }
};

/// logits_gradient(targets[g], c) += Σ_{k in group g} weight · loss_gradient · slopes(k, c)
///
/// A thread owns one column of a group's row and adds its members in ascending
/// order: the order of the CPU, without atomics. Moves slopes once and the rows
/// that occur twice.
template <class T, class I>
static __global__ void __launch_bounds__(elementwise_policy::most_threads)
    add_grouped_slopes_kernel(grid_walk walk, const I* targets, const I* offsets, const I* members,
                              device_view<const T> slopes, T weight, const T* loss_gradient,
                              device_view<T> logits_gradient) {
  const T scale = weight * *loss_gradient;
  walk.each([&](std::size_t group, std::size_t col) {
    T& result = logits_gradient(static_cast<std::size_t>(targets[group]), col);
    T value = result;
    for (I i = offsets[group]; i < offsets[group + 1]; ++i) {
      value += scale * slopes(static_cast<std::size_t>(members[i]), col);
    }
    result = value;
  });
}

/// `rows`: host memory; row rows[k] of the gradient gets row k of the slopes.
template <class T, graph_index I>
void launch_add_grouped_slopes(const device& exec, matrix_view<const T> slopes, std::span<const I> rows, T weight,
                               const T* loss_gradient, matrix_view<T> logits_gradient) {
  const grouping<I> groups = group_by(rows, logits_gradient.rows());
  const backend::device_array<I> targets(exec, groups.keys);
  const backend::device_array<I> offsets(exec, groups.offsets);
  const backend::device_array<I> members(exec, groups.members);
  const auto policy = elementwise_policy::for_capability(context_of(exec).compute_capability());
  const grid_walk walk(groups.keys.size(), slopes.cols(), policy, context_of(exec).multiprocessors());
  add_grouped_slopes_kernel<<<walk.blocks(), policy.threads, 0, stream_of(exec)>>>(
      walk, targets.data(), offsets.data(), members.data(), on_device(slopes), weight, loss_gradient,
      on_device(logits_gradient));
  check_launch("add_grouped_slopes", walk.blocks(), policy.threads);
}

}  // namespace graphpatcher::kernels
