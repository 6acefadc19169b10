// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/corruption.cuh"
#include "kernels/runtime/launch.cuh"

namespace graphpatcher::kernels {

/// An ascending list of ids, in any memory.
template <class I>
struct sorted_ids {
  const I* ids;
  I count;

  /// By bisection, in a number of steps that follows from `count` alone: lanes that search one list stay together.
  __device__ bool contains(I id) const {
    I first = 0;
    for (I left = count; left > 1;) {
      const I half = left / 2;
      first += ids[first + half - 1] < id ? half : 0;
      left -= half;
    }
    return count > 0 && ids[first] == id;
  }
};

/// The rows of an undirected graph.
template <class I>
struct graph_rows {
  const I* offsets;
  const I* neighbors;
  const I* degrees;  ///< loops not counted

  __device__ sorted_ids<I> row(I node) const {
    const I first = offsets[node];
    return {neighbors + first, offsets[node + 1] - first};
  }
};

/// Anchors with at most this many neighbours are a warp's work; the others are hubs.
inline constexpr int warp_degree = 128;

/// The graph as one anchor sees it in one sample: D, its dropped neighbours, are
/// gone. D is a short list in shared memory; a hub's can be too long for that
/// and is drawn again wherever it is asked for.
template <class I, bool Hub>
struct corrupted_view {
  graph_rows<I> graph;
  corruption_draws draws;
  I anchor;
  std::uint32_t sample;
  sorted_ids<I> around;   ///< the anchor's row
  sorted_ids<I> dropped;  ///< D; of a hub only `count`

  /// Whether a neighbour of the anchor is dropped, from random bits alone.
  __device__ bool draw(I neighbor) const {
    return neighbor != anchor &&
           draws.drops(static_cast<std::uint64_t>(anchor), static_cast<std::uint64_t>(neighbor), sample);
  }

  __device__ bool is_dropped(I node) const {
    if constexpr (Hub) {
      return around.contains(node) && draw(node);
    } else {
      return dropped.contains(node);
    }
  }

  /// |N(node) ∩ D|, by one thread. The graph is undirected, so a node can be looked for in the rows of D: lanes that
  /// ask for different nodes read the same rows. A hub's D is not listed: the shorter of two lists is walked, the other
  /// searched.
  __device__ I lost_edges(I node) const {
    I lost = 0;
    if constexpr (!Hub) {
      for (I n = 0; n < dropped.count; ++n) {
        lost += graph.row(dropped.ids[n]).contains(node);
      }
    } else if (dropped.count > 0) {
      const auto row = graph.row(node);
      const bool walk_row = row.count <= around.count;
      const auto walked = walk_row ? row : around;
      const auto searched = walk_row ? around : row;
      for (I n = 0; n < walked.count; ++n) {
        const I id = walked.ids[n];
        lost += searched.contains(id) && draw(id);
      }
    }
    return lost;
  }

  /// Degree for normalisation: that in the whole graph less edges to D, and a self-loop.
  __device__ I degree(I node, I lost) const { return 1 + graph.degrees[node] - lost; }
};

/// Fills `list` with the dropped neighbours of view.anchor, ascending; returns
/// how many there are. By one warp, all lanes; the caller synchronises.
template <class I>
__device__ I list_dropped(const corrupted_view<I, false>& view, I* list) {
  const unsigned lane = threadIdx.x % warp_size;
  I count = 0;
  for (I first = 0; first < view.around.count; first += warp_size) {
    const I n = first + static_cast<I>(lane);
    const I id = n < view.around.count ? view.around.ids[n] : view.anchor;
    const bool dropped = view.draw(id);
    const unsigned lanes = __ballot_sync(full_warp, dropped);
    if (dropped) {
      list[count + __popc(lanes & ((1u << lane) - 1u))] = id;
    }
    count += __popc(lanes);
  }
  return count;
}

}  // namespace graphpatcher::kernels
