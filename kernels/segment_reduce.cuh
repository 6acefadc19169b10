// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/edge_view.hpp"
#include "kernels/row_walk.cuh"
#include "kernels/runtime/launch.cuh"

/// Reductions over segments; equations in ops/segment_reduce.hpp. The sum is
/// row_sum.cuh's; here are its adjoint, the maximum and its adjoints.
namespace graphpatcher::kernels {

struct segment_policy {
  static constexpr int threads = 128;
  /// At least these fit a multiprocessor: up to 128 registers a thread.
  static constexpr int resident_blocks = 4;
  /// Rows that a group takes one after another: enough to pay for finding the
  /// segment of the first, few enough to fill the GPU with a small matrix.
  static constexpr int run = 16;
};

/// x_gradient[r, :] += gradient[s, :] (for the mean: / length of s), r in segment s
///
/// A group of lanes owns a tile of columns of a run of neighbouring rows, so long
/// segments need no care. Reads and writes every row once, gradient mostly from
/// the cache.
template <int N, class T, class I>
static __global__ void __launch_bounds__(segment_policy::threads, segment_policy::resident_blocks)
    spread_segments(int lanes, const I* offsets, std::int64_t segments, bool mean, device_rows<const T> gradient,
                    std::int64_t rows, std::int64_t cols, device_rows<T> x_gradient) {
  const lane_group group(lanes);
  const std::int64_t tile = lanes * N;
  const std::int64_t runs = ceil_div(rows, segment_policy::run);
  for (std::int64_t col = blockIdx.y * tile + group.lane * N; col < cols; col += gridDim.y * tile) {
#pragma unroll 1
    for (std::int64_t run = group.number(); run < runs; run += group.count()) {
      const std::int64_t end = min((run + 1) * segment_policy::run, rows);
      std::int64_t segment = row_of_entry(offsets, segments, run * segment_policy::run);
#pragma unroll 1
      for (std::int64_t row = run * segment_policy::run; row < end; ++row) {
        while (offsets[segment + 1] <= row) {
          ++segment;
        }
        const T scale = mean ? T(1) / static_cast<T>(offsets[segment + 1] - offsets[segment]) : T(1);
        const auto value = load<N>(gradient.at(segment, col));
        auto sum = load<N>(x_gradient.at(row, col));
#pragma unroll
        for (int i = 0; i < N; ++i) {
          sum[i] += scale * value[i];
        }
        store(x_gradient.at(row, col), sum);
      }
    }
  }
}

/// An entry of a row: which row of x it is.
template <class I>
struct source_item {
  I row = 0;

  __device__ source_item from(const lane_group& group, int lane) const { return {group.from(row, lane)}; }
};

/// out(i, c) = max of x(sources[e], c) over the entries e of row i, winners = its e
///
/// A group of lanes owns a tile of columns of one row and walks its entries in
/// order: the first of equal ones stays, NaN beats every number. Bytes as in
/// row_sum.cuh, and an index an output.
template <int N, class T, class I>
static __global__ void __launch_bounds__(segment_policy::threads, segment_policy::resident_blocks)
    largest_entries(int lanes, const I* offsets, const I* sources, std::int64_t rows, std::int64_t cols,
                    device_rows<const T> x, device_rows<I> winners, device_rows<T> out) {
  const lane_group group(lanes);
  const std::int64_t tile = lanes * N;
  for (std::int64_t first_col = blockIdx.y * tile; first_col < cols; first_col += gridDim.y * tile) {
    // lanes beyond the last column read the last pack along with its owner, and write nothing
    const std::int64_t own_col = first_col + group.lane * N;
    const std::int64_t col = min(own_col, cols - N);
#pragma unroll 1
    for (std::int64_t first = group.warp_number(); first < rows; first += group.count()) {
      const std::int64_t row = first + group.first / group.size;
      const auto [begin, end] = entries_of(offsets, row, rows);
      pack<T, N> best = {};
      pack<I, N> winner;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        winner[i] = -1;
      }
      walk_entries<source_item<I>>(
          group, begin, end,
          [=](std::int64_t k, source_item<I>& own) {
            own.row = sources == nullptr ? static_cast<I>(k) : sources[k];
            return true;
          },
          [=](const source_item<I>& item) { return load<N>(x.at(item.row, col)); },
          [&](const source_item<I>&, const pack<T, N>& value, std::int64_t k) {
#pragma unroll
            for (int i = 0; i < N; ++i) {
              const bool wins = winner[i] < 0 || (!(value[i] <= best[i]) && best[i] == best[i]);
              best[i] = wins ? value[i] : best[i];
              winner[i] = wins ? static_cast<I>(k) : winner[i];
            }
          });
      if (row < rows && own_col < cols) {
        store(out.at(row, col), best);
        store(winners.at(row, col), winner);
      }
    }
  }
}

/// What a source knows of one of its receivers.
template <class I>
struct receiver_item {
  I row = 0;
  I edge = 0;

  __device__ receiver_item from(const lane_group& group, int lane) const {
    return {group.from(row, lane), group.from(edge, lane)};
  }
};

/// x_gradient(j, c) += Σ gradient(i, c) over the edges e from j to i with winners(i, c) = e
///
/// A group of lanes owns a tile of columns of one source and walks the edges it
/// sends along, receivers ascending: the order of the CPU, no atomics. Reads
/// gradient and winners of every edge.
template <int N, class T, class I>
static __global__ void __launch_bounds__(segment_policy::threads, segment_policy::resident_blocks)
    collect_wins(int lanes, const I* offsets, const I* receivers, const I* edges, std::int64_t sources, I limit,
                 std::int64_t cols, device_rows<const I> winners, device_rows<const T> gradient,
                 device_rows<T> x_gradient) {
  struct win {
    pack<T, N> gradient;
    pack<I, N> winner;
  };
  const lane_group group(lanes);
  const std::int64_t tile = lanes * N;
  for (std::int64_t first_col = blockIdx.y * tile; first_col < cols; first_col += gridDim.y * tile) {
    const std::int64_t own_col = first_col + group.lane * N;
    const std::int64_t col = min(own_col, cols - N);
#pragma unroll 1
    for (std::int64_t first = group.warp_number(); first < sources; first += group.count()) {
      const std::int64_t source = first + group.first / group.size;
      const auto [begin, end] = entries_of(offsets, source, sources);
      pack<T, N> sum = {};
      walk_entries<receiver_item<I>>(
          group, begin, end,
          [=](std::int64_t k, receiver_item<I>& own) {
            own.row = receivers[k];
            own.edge = edges[k];
            return own.row < limit;
          },
          [=](const receiver_item<I>& item) {
            return win{load<N>(gradient.at(item.row, col)), load<N>(winners.at(item.row, col))};
          },
          [&](const receiver_item<I>& item, const win& value, std::int64_t) {
#pragma unroll
            for (int i = 0; i < N; ++i) {
              sum[i] += value.winner[i] == item.edge ? value.gradient[i] : T(0);
            }
          });
      if (source < sources && own_col < cols) {
        auto result = load<N>(x_gradient.at(source, col));
#pragma unroll
        for (int i = 0; i < N; ++i) {
          result[i] += sum[i];
        }
        store(x_gradient.at(source, col), result);
      }
    }
  }
}

/// x_gradient(winners(i, c), c) += gradient(i, c): a thread an element. An entry
/// belongs to one segment, so no two threads meet.
template <class T, class I>
static __global__ void __launch_bounds__(segment_policy::threads)
    scatter_wins(int lanes, const I* winners, std::int64_t rows, std::int64_t cols, device_rows<const T> gradient,
                 device_rows<T> x_gradient) {
  const lane_group group(lanes);
  for (std::int64_t col = blockIdx.y * lanes + group.lane; col < cols; col += gridDim.y * lanes) {
#pragma unroll 1
    for (std::int64_t row = group.number(); row < rows; row += group.count()) {
      const I winner = winners[row * cols + col];
      if (winner >= 0) {
        *x_gradient.at(winner, col) += *gradient.at(row, col);
      }
    }
  }
}

}  // namespace graphpatcher::kernels
