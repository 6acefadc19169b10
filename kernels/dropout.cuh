// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/philox.hpp"
#include "kernels/runtime/grid_walk.cuh"
#include "kernels/runtime/quad.cuh"

/// Dropout with the masks of the CPU: whether (row, column) is dropped is a bit
/// of Philox for (key of the row, column / 4).
namespace graphpatcher::kernels {

using dropout_policy = walk_policy;

/// What decides about an element.
struct dropout_rule {
  random_stream stream;
  std::uint32_t threshold;  ///< an element is dropped when its 32 bits are below
};

/// What dropout is applied to: x itself,
template <class T>
struct plain_input {
  __device__ T operator()(T x, T) const { return x; }
};
/// or relu(x + bias).
template <class T>
struct bias_relu_input {
  __device__ T operator()(T x, T bias) const {
    const T sum = x + bias;
    return sum <= T(0) ? T(0) : sum;
  }
};

/// y(r, c) = (or += with Accumulate) input(x(r, c), bias(c)) · factor, or 0
/// where dropped.
///
/// A thread draws one Philox block and serves the four columns it belongs to.
/// Without keys (null) a row's key is its number; a threshold of 0 draws
/// nothing. Moves x and y once (y twice with Accumulate), the bias from cache;
/// about 100 integer operations a block of four.
template <bool Accumulate, bool Aligned, class Input, class T, class I>
static __global__ void __launch_bounds__(dropout_policy::most_threads)
    dropout_kernel(grid_walk walk, std::size_t cols, dropout_rule rule, T factor, const I* keys, device_view<const T> x,
                   const T* bias, device_view<T> y) {
  const Input input;
  walk.each([&](std::size_t row, std::size_t block) {
    const std::size_t col = block * quad_size;
    const int count = quad_count(col, cols);
    philox::counter_type bits{};
    if (rule.threshold != 0) {
      bits = rule.stream.bits(keys == nullptr ? row : static_cast<std::uint64_t>(keys[row]), block);
    }
    const auto values = load_quad<Aligned>(x.row(row) + col, count);
    const auto shifts = bias == nullptr ? quad<T>{} : load_quad<Aligned>(bias + col, count);
    auto result = Accumulate ? load_quad<Aligned>(y.row(row) + col, count) : quad<T>{};
#pragma unroll
    for (int i = 0; i < quad_size; ++i) {
      const T kept = bits[i] < rule.threshold ? T(0) : factor * input(values[i], shifts[i]);
      result[i] = Accumulate ? result[i] + kept : kept;
    }
    store_quad<Aligned>(y.row(row) + col, result, count);
  });
}

/// `bias` null: none. Keys empty: the rows' numbers.
template <bool Accumulate, class Input, class T, class I>
void launch_dropout(const device& exec, random_stream stream, double probability, std::span<const I> keys,
                    matrix_view<const T> x, std::type_identity_t<const T*> bias, matrix_view<T> y) {
  if (x.empty()) {
    return;
  }
  const dropout_rule rule{stream, static_cast<std::uint32_t>(probability_threshold(probability))};
  const T factor = static_cast<T>(1 / (1 - probability));
  const I* const row_keys = keys.empty() ? nullptr : keys.data();
  const auto policy = dropout_policy::for_capability(context_of(exec).compute_capability());
  const grid_walk walk(x.rows(), ceil_div(x.cols(), quad_size), policy, context_of(exec).multiprocessors());
  const bool aligned = rows_aligned(x, y) && (bias == nullptr || rows_aligned(matrix_view<const T>(bias, 1, x.cols())));
  const auto kernel =
      aligned ? dropout_kernel<Accumulate, true, Input, T, I> : dropout_kernel<Accumulate, false, Input, T, I>;
  kernel<<<walk.blocks(), policy.threads, 0, stream_of(exec)>>>(walk, x.cols(), rule, factor, row_keys, on_device(x),
                                                                bias, on_device(y));
  check_launch("dropout", walk.blocks(), policy.threads);
}

}  // namespace graphpatcher::kernels
