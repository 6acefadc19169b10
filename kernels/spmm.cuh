// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/edge_view.hpp"
#include "graphpatcher/operands/spmm_scales.hpp"
#include "kernels/row_sum.cuh"
#include "kernels/row_walk.cuh"
#include "kernels/runtime/launch.cuh"

/// Sparse products over the edges of a graph; equations in ops/spmm.hpp. The
/// product and its adjoint with respect to x are row_sum.cuh's sum.
namespace graphpatcher::kernels {

/// `x` has the row of source j in row gather[j], or in row j without a gather.
template <class T, class Stored, class I>
row_sum_problem<T, Stored, I> spmm_problem(const edge_view<I>& edges, const spmm_scales<T>& scales,
                                           std::span<const I> gather, device_rows<const Stored> x, matrix_view<T> out) {
  return {.rows = out.rows(),
          .cols = out.cols(),
          .entries = edges.edges(),
          .longest_row = edges.longest_row,
          .offsets = edges.offsets.data(),
          .sources = edges.sources.data(),
          .gather = gather.data(),
          .x = x,
          .right = scales.right.data(),
          .weights = scales.weights,
          .heads = scales.heads(),
          .left = scales.left.data(),
          .out = out};
}

/// Each source collects from its receivers, along the edges it sends; what was
/// left is right now. Receivers ascend, so those outside the block end a row.
template <class T, class I>
row_sum_problem<T, T, I> spmm_adjoint_problem(const edge_view<I>& edges, const spmm_scales<T>& scales,
                                              matrix_view<const T> gradient, matrix_view<T> x_gradient) {
  return {.rows = edges.source_rows,
          .cols = gradient.cols(),
          .entries = edges.receivers.size(),
          .longest_row = edges.longest_reverse_row,
          .offsets = edges.reverse_offsets.data(),
          .sources = edges.receivers.data(),
          .limit = static_cast<I>(edges.rows()),
          .x = gradient,
          .right = scales.left.data(),
          .weights = scales.weights,
          .heads = scales.heads(),
          .weight_rows = edges.reverse_edges.data(),
          .left = scales.right.data(),
          .accumulate = true,
          .out = x_gradient};
}

struct edge_dots_policy {
  static constexpr int threads = 128;
  /// At least these fit a multiprocessor: up to 128 registers a thread.
  static constexpr int resident_blocks = 4;
  /// Edges that a group takes one after another: enough to pay for finding the
  /// row of the first, few enough to fill the GPU with a small graph.
  static constexpr int run = 16;
};

template <class T, class I>
struct edge_dots_problem {
  std::int64_t rows;
  std::int64_t edges;
  const I* offsets;
  const I* sources;
  const T* left;   // null: 1
  const T* right;  // null: 1
  std::int64_t heads;
  std::int64_t head_width;
  device_rows<const T> gradient;
  device_rows<const T> x;
  device_rows<T> weights_gradient;
};

/// weights_gradient(e, h) += left_i · right_j · <gradient_i, x_j> over slice h
///
/// A group of lanes owns one head of a run of neighbouring edges, so hubs need
/// no care; groups of neighbouring heads read neighbouring slices. A lane adds
/// up its packs, then the lanes are added in a fixed tree. Reads 2·C numbers an
/// edge (those of gradient_i mostly from the cache), 2·C flops.
template <int N, class T, class I>
static __global__ void __launch_bounds__(edge_dots_policy::threads, edge_dots_policy::resident_blocks)
    edge_dots(int lanes, edge_dots_problem<T, I> p) {
  constexpr int depth = entries_in_flight;
  const lane_group group(lanes);
  const std::int64_t runs = ceil_div(p.edges, edge_dots_policy::run);
#pragma unroll 1
  for (std::int64_t first = group.warp_number(); first < runs * p.heads; first += group.count()) {
    const std::int64_t unit = first + group.first / group.size;
    const std::int64_t head = unit % p.heads;
    const std::int64_t begin = unit / p.heads * edge_dots_policy::run;
    const std::int64_t end = min(begin + edge_dots_policy::run, p.edges);  // below begin: no run is left
    std::int64_t row = begin < end ? row_of_entry(p.offsets, p.rows, begin) : 0;
#pragma unroll 1
    for (int batch = 0; batch < edge_dots_policy::run; batch += depth) {
      T dot[depth] = {};
      T scale[depth] = {};
#pragma unroll
      for (int i = 0; i < depth; ++i) {
        const std::int64_t edge = begin + batch + i;
        if (edge < end) {
          while (p.offsets[row + 1] <= edge) {
            ++row;
          }
          const std::int64_t source = p.sources[edge];
          scale[i] = (p.left == nullptr ? T(1) : p.left[row]) * (p.right == nullptr ? T(1) : p.right[source]);
          dot[i] = partial_dot<N>(p.gradient.at(row, head * p.head_width), p.x.at(source, head * p.head_width), group,
                                  p.head_width);
        }
      }
#pragma unroll
      for (int i = 0; i < depth; ++i) {
        const T sum = group.sum(dot[i]);
        if (group.lane == 0 && begin + batch + i < end) {
          *p.weights_gradient.at(begin + batch + i, head) += scale[i] * sum;
        }
      }
    }
  }
}

template <class T, class I>
void spmm_weights_adjoint(const device& exec, const edge_view<I>& edges, const spmm_scales<T>& scales,
                          matrix_view<const T> gradient, matrix_view<const T> x, matrix_view<T> weights_gradient) {
  if (edges.edges() == 0) {
    return;
  }
  const std::size_t heads = weights_gradient.cols();
  const std::size_t head_width = x.cols() / heads;
  const edge_dots_problem<T, I> problem{static_cast<std::int64_t>(edges.rows()),
                                        static_cast<std::int64_t>(edges.edges()),
                                        edges.offsets.data(),
                                        edges.sources.data(),
                                        scales.left.data(),
                                        scales.right.data(),
                                        static_cast<std::int64_t>(heads),
                                        static_cast<std::int64_t>(head_width),
                                        gradient,
                                        x,
                                        weights_gradient};
  const auto launch = [&](auto width) {
    constexpr int N = decltype(width)::value;
    constexpr std::size_t threads = edge_dots_policy::threads;
    const int lanes = lanes_for(head_width / N, 1);
    const std::size_t units = ceil_div(edges.edges(), std::size_t{edge_dots_policy::run}) * heads;
    const dim3 grid(grid_for(units, threads / static_cast<std::size_t>(lanes)));
    edge_dots<N><<<grid, threads, 0, stream_of(exec)>>>(lanes, problem);
    check_launch("edge_dots", grid, threads);
  };
  if (fits_pack(full_pack<T>, gradient.data(), gradient.stride(), head_width) &&
      fits_pack(full_pack<T>, x.data(), x.stride(), head_width)) {
    launch(std::integral_constant<int, full_pack<T>>{});
  } else {
    launch(std::integral_constant<int, 1>{});
  }
}

}  // namespace graphpatcher::kernels
