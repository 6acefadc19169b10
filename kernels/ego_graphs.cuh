// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/ego_ball.cuh"
#include "kernels/runtime/launch.cuh"
#include "kernels/scan.cuh"

/// Ego-graphs in two passes: count nodes and edges, then, when running sums have
/// told where each ego-graph goes, build the balls again and write them. Nothing
/// is kept in between, so memory grows with the result and not with bounds.
namespace graphpatcher::kernels {

/// One ego-graph to build.
struct ego_task {
  std::uint32_t ego;         ///< its position in the batch
  std::uint32_t table_bits;  ///< log2 of the slots of its table
};

/// What both passes read, and where blocks put balls that are too large for
/// shared memory: a slice each.
template <class I>
struct ego_arguments {
  ego_rows<I> graph;
  const I* anchors;
  unsigned hops;
  const ego_task* tasks;
  std::size_t task_count;
  I* workspace;  ///< slices of `slice` ids: keys, positions, list
  std::size_t slice;
  std::size_t table_slots;
};

/// The memory in which a block builds a ball; `list`: where its ids go if not
/// into shared memory, null for the block's slice.
template <bool Shared, class I>
__device__ ego_ball<I, Shared> ball_memory(const ego_arguments<I>& arguments, int bits, I* shared, unsigned* list_end,
                                           I* list) {
  if constexpr (Shared) {
    constexpr int slots = ego_policy::slots_a_node * ego_policy::shared_nodes;
    return {{shared, shared + slots, bits}, shared + 2 * slots, nullptr, list_end};
  } else {
    I* const slice = arguments.workspace + blockIdx.x * arguments.slice;
    return {{slice, slice + arguments.table_slots, bits},
            list != nullptr ? list : slice + 2 * arguments.table_slots,
            shared,
            list_end};
  }
}

/// Calls body(node, n, row begin, row end) for the nodes list[begin .. end),
/// each by one warp.
template <class I, class Body>
__device__ void for_rows(const ego_rows<I>& graph, const I* list, unsigned begin, unsigned end, Body&& body) {
  for (unsigned n = begin + threadIdx.x / warp_size; n < end; n += ego_policy::warps) {
    const I node = list[n];
    body(node, n, graph.offsets[node], graph.offsets[node + 1]);
  }
}

/// Edges that a node at the rim receives from inside the ball, by one warp. Any
/// other node receives all of its edges from inside.
template <class I>
__device__ I rim_edges(const ego_rows<I>& graph, const ball_table<I>& table, I node, I begin, I end) {
  I count = 0;
  for (I e = begin + static_cast<I>(threadIdx.x % warp_size); e < end; e += warp_size) {
    const I id = graph.neighbors[e];
    count += id != node && table.keys[table.find(id)] == id;
  }
  return warp_sum(count);
}

/// hop_sizes[ego · (hops + 1) + h] = nodes at h hops, edges[ego] = edges of the
/// ego-graph. A block takes a task after another; reads 4 bytes an edge of every
/// node of the ball, twice for those that are not at its rim.
template <class I, bool Shared>
static __global__ void __launch_bounds__(ego_policy::threads, ego_policy::blocks_a_multiprocessor)
    count_egos_kernel(const ego_arguments<I> arguments, I* __restrict__ hop_sizes, I* __restrict__ edges) {
  __shared__ I shared[ego_policy::shared_ids];
  __shared__ unsigned list_end;
  __shared__ I warp_sums[ego_policy::warps];
  for (std::size_t t = blockIdx.x; t < arguments.task_count; t += gridDim.x) {
    const auto [ego, bits] = arguments.tasks[t];
    auto ball = ball_memory<Shared, I>(arguments, static_cast<int>(bits), shared, &list_end, nullptr);
    I* const sizes = hop_sizes + std::size_t{ego} * (arguments.hops + 1);
    const unsigned rim = ball.template expand<false>(arguments.graph, arguments.anchors[ego], arguments.hops,
                                                     [&](unsigned hop, unsigned begin, unsigned end) {
                                                       if (threadIdx.x == 0) {
                                                         sizes[hop] = static_cast<I>(end - begin);
                                                       }
                                                     });
    I sum = 0;  // no more than the graph has
    for (unsigned n = threadIdx.x; n < rim; n += ego_policy::threads) {
      sum += arguments.graph.in_degrees[ball.list[n]];
    }
    for_rows(arguments.graph, ball.list, rim, list_end, [&](I node, unsigned, I begin, I end) {
      const I inside = rim_edges(arguments.graph, ball.table, node, begin, end);
      sum += threadIdx.x % warp_size == 0 ? inside : I(0);
    });
    sum = block_sum<ego_policy::threads>(sum, warp_sums);
    if (threadIdx.x == 0) {
      edges[ego] = sum;
    }
  }
}

/// Where the second pass writes: the arrays of ego_batch.
template <class I>
struct ego_output {
  const I* hop_offsets;
  const std::uint64_t* edge_starts;  ///< of each ego-graph
  I* nodes;
  I* in_degree;
  I* out_degree;
  I* edge_offsets;
  I* edge_sources;
};

/// Positions, ids and degrees of the nodes of a finished ball. A thread takes a node.
template <class I, bool Shared>
__device__ void write_nodes(const ego_rows<I>& graph, ego_ball<I, Shared>& ball, unsigned count, std::size_t first,
                            const ego_output<I>& output) {
  for (unsigned n = threadIdx.x; n < count; n += ego_policy::threads) {
    const I id = ball.list[n];
    ball.table.positions[ball.table.find(id)] = static_cast<I>(n);
    output.in_degree[first + n] = graph.in_degrees[id];
    output.out_degree[first + n] = graph.out_degrees[id];
    if constexpr (Shared) {
      output.nodes[first + n] = id;
    }
  }
}

/// ends[n] = start + sizes of rows 0 .. n. Sizes are written first, a warp a
/// row, then summed in place by the block. Ends with a barrier.
template <class I, bool Shared>
__device__ void write_edge_offsets(const ego_rows<I>& graph, const ego_ball<I, Shared>& ball, unsigned rim,
                                   unsigned count, I start, I* ends) {
  __shared__ I warp_sums[ego_policy::warps];
  for (unsigned n = threadIdx.x; n < rim; n += ego_policy::threads) {
    ends[n] = graph.in_degrees[ball.list[n]];
  }
  for_rows(graph, ball.list, rim, count, [&](I node, unsigned n, I begin, I end) {
    const I inside = rim_edges(graph, ball.table, node, begin, end);
    if (threadIdx.x % warp_size == 0) {
      ends[n] = inside;
    }
  });
  __syncthreads();
  for (unsigned begin = 0; begin < count; begin += ego_policy::threads) {
    const unsigned n = begin + threadIdx.x;
    I total = 0;
    const I running = block_running_sum<ego_policy::threads>(n < count ? ends[n] : I(0), warp_sums, total);
    if (n < count) {
      ends[n] = start + running;
    }
    start += total;
    __syncthreads();
  }
}

/// Positions of the sources of a row that are inside the ball, in the order of
/// the row; by one warp.
template <class I>
__device__ void write_sources(const ego_rows<I>& graph, const ball_table<I>& table, I node, I begin, I end, I* out) {
  const unsigned lane = threadIdx.x % warp_size;
  for (I first = begin; first < end; first += warp_size) {
    const I e = first + static_cast<I>(lane);
    const I id = e < end ? graph.neighbors[e] : node;
    const unsigned slot = table.find(id);
    const bool inside = id != node && table.keys[slot] == id;
    const unsigned lanes = __ballot_sync(full_warp, inside);
    if (inside) {
      out[__popc(lanes & ((1u << lane) - 1u))] = table.positions[slot];
    }
    out += __popc(lanes);
  }
}

/// Writes the ego-graphs where the running sums say. Every hop is sorted, so the
/// result does not depend on the order in which threads found its nodes. Reads 4
/// bytes an edge of every node of the ball, three times; writes the result.
template <class I, bool Shared>
static __global__ void __launch_bounds__(ego_policy::threads, ego_policy::blocks_a_multiprocessor)
    fill_egos_kernel(const ego_arguments<I> arguments, const ego_output<I> output) {
  __shared__ I shared[ego_policy::shared_ids];
  __shared__ unsigned list_end;
  for (std::size_t t = blockIdx.x; t < arguments.task_count; t += gridDim.x) {
    const auto [ego, bits] = arguments.tasks[t];
    const auto first = static_cast<std::size_t>(output.hop_offsets[std::size_t{ego} * (arguments.hops + 1)]);
    auto ball = ball_memory<Shared, I>(arguments, static_cast<int>(bits), shared, &list_end, output.nodes + first);
    const unsigned rim = ball.template expand<true>(arguments.graph, arguments.anchors[ego], arguments.hops,
                                                    [](unsigned, unsigned, unsigned) {});
    const unsigned count = list_end;
    write_nodes(arguments.graph, ball, count, first, output);
    if (ego == 0 && threadIdx.x == 0) {
      output.edge_offsets[0] = 0;
    }
    const auto start = static_cast<I>(output.edge_starts[ego]);
    I* const ends = output.edge_offsets + first + 1;
    write_edge_offsets(arguments.graph, ball, rim, count, start, ends);
    for_rows(arguments.graph, ball.list, 0u, count, [&](I node, unsigned n, I begin, I end) {
      write_sources(arguments.graph, ball.table, node, begin, end,
                    output.edge_sources + (n == 0 ? start : ends[n - 1]));
    });
    __syncthreads();  // the next task clears the table
  }
}

}  // namespace graphpatcher::kernels
