// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/runtime/capability.hpp"
#include "kernels/runtime/launch.cuh"

/// The ball around one anchor, built by one block: a table of the nodes seen and
/// the list of them, hop by hop.
namespace graphpatcher::kernels {

struct ego_policy {
  static constexpr int threads = 256;
  static constexpr int warps = threads / warp_size;
  static constexpr int blocks_a_multiprocessor = 4;  ///< at least: up to 64 registers a thread
  static constexpr int shared_nodes = 1024;          ///< balls up to this size are built in shared memory
  static constexpr int slots_a_node = 2;             ///< tables are at most half full
  /// Shared memory of a block in ids: a table (two arrays) and a list.
  static constexpr int shared_ids = (2 * slots_a_node + 1) * shared_nodes;

  /// Blocks that run at once, by the shared memory that a capability has: each
  /// needs a slice of global memory, so that more would be a waste.
  template <class I>
  static constexpr int resident_blocks(int capability) {
    constexpr int few_more = 64;  // bytes: sums of warps, the end of the list
    const int shared_bytes = shared_ids * static_cast<int>(sizeof(I)) + few_more;
    return std::min(blocks_a_multiprocessor, kernels::resident_blocks(capability, threads, shared_bytes));
  }
};

/// Rows of a graph with the degrees an ego batch tells.
template <class I>
struct ego_rows {
  const I* offsets;
  const I* neighbors;
  const I* in_degrees;  ///< loops not counted
  const I* out_degrees;
};

/// Node id -> position in the ego-graph. Open addressing with linear probing;
/// `bits`: log2 of the number of slots.
template <class I>
struct ball_table {
  static constexpr I empty = -1;
  I* keys;
  I* positions;
  int bits;

  __device__ unsigned slots() const { return 1u << bits; }
  __device__ unsigned home(I id) const {
    return static_cast<unsigned>(static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15ull >> (64 - bits));
  }
  /// True for the one thread that brings a new id.
  __device__ bool insert(I id) {
    using word = std::conditional_t<sizeof(I) == 4, unsigned, unsigned long long>;
    for (unsigned slot = home(id);; slot = (slot + 1) & (slots() - 1)) {
      const auto found = static_cast<I>(
          atomicCAS(reinterpret_cast<word*>(keys + slot), static_cast<word>(empty), static_cast<word>(id)));
      if (found == empty || found == id) {
        return found == empty;
      }
    }
  }
  /// The slot that holds `id`, or an empty one.
  __device__ unsigned find(I id) const {
    unsigned slot = home(id);
    while (keys[slot] != id && keys[slot] != empty) {
      slot = (slot + 1) & (slots() - 1);
    }
    return slot;
  }
};

/// Sorts values[0 .. count) ascending, by all threads of the block. Bitonic, in
/// the form whose every comparison puts the smaller value at the lower place:
/// what lies beyond `count` then counts as larger than everything and is never
/// touched. Ends with a barrier.
template <class I>
__device__ void block_sort(I* values, unsigned count) {
  const auto order = [&](unsigned low, unsigned high) {
    if (high < count && values[high] < values[low]) {
      const I larger = values[low];
      values[low] = values[high];
      values[high] = larger;
    }
  };
  for (unsigned width = 2; width / 2 < count; width *= 2) {
    for (unsigned pair = threadIdx.x; pair < ceil_div(count, width) * (width / 2); pair += blockDim.x) {
      const unsigned start = pair / (width / 2) * width;  // mirror images in a run of `width`
      const unsigned within = pair % (width / 2);
      order(start + within, start + width - 1 - within);
    }
    __syncthreads();
    for (unsigned stride = width / 4; stride > 0; stride /= 2) {
      for (unsigned pair = threadIdx.x; pair < ceil_div(count, 2 * stride) * stride; pair += blockDim.x) {
        const unsigned low = pair / stride * 2 * stride + pair % stride;
        order(low, low + stride);
      }
      __syncthreads();
    }
  }
}

/// What a block knows about the ball it is building, in shared memory or not.
template <class I, bool Shared>
struct ego_ball {
  ball_table<I> table;
  I* list;             ///< ids, hop after hop
  I* scratch;          ///< shared memory to sort in; not used if `list` is in it already
  unsigned* list_end;  ///< shared: nodes found so far

  /// list[begin .. end) ascending. Found in no fixed order, sorted they are in one.
  __device__ void sort(unsigned begin, unsigned end) {
    if constexpr (Shared) {
      block_sort(list + begin, end - begin);
    } else if (end - begin > ego_policy::shared_ids) {
      block_sort(list + begin, end - begin);  // in global memory
    } else {
      sort_in_scratch(list + begin, end - begin);
    }
  }

  __device__ void sort_in_scratch(I* values, unsigned count) {
    for (unsigned n = threadIdx.x; n < count; n += ego_policy::threads) {
      scratch[n] = values[n];
    }
    __syncthreads();
    block_sort(scratch, count);
    for (unsigned n = threadIdx.x; n < count; n += ego_policy::threads) {
      values[n] = scratch[n];
    }
    __syncthreads();
  }

  /// Puts `anchor` and everything within `hops` hops into the table and the
  /// list; calls on_hop(h, begin, end) after each hop, from 0 on. Returns where
  /// the last hop begins. A warp takes a node, its lanes the neighbours.
  template <bool Sorted, class OnHop>
  __device__ unsigned expand(const ego_rows<I>& graph, I anchor, unsigned hops, OnHop&& on_hop) {
    for (unsigned slot = threadIdx.x; slot < table.slots(); slot += ego_policy::threads) {
      table.keys[slot] = slot == table.home(anchor) ? anchor : ball_table<I>::empty;
    }
    if (threadIdx.x == 0) {
      list[0] = anchor;
      *list_end = 1;
    }
    __syncthreads();
    on_hop(0u, 0u, 1u);
    unsigned begin = 0;
    unsigned end = 1;
    for (unsigned hop = 1; hop <= hops; ++hop) {
      if (begin == end) {  // nothing was new at the last hop, so nothing is at any later one
        on_hop(hop, end, end);
        continue;
      }
      for (unsigned n = begin + threadIdx.x / warp_size; n < end; n += ego_policy::warps) {
        const I last = graph.offsets[list[n] + 1];
        for (I e = graph.offsets[list[n]] + static_cast<I>(threadIdx.x % warp_size); e < last; e += warp_size) {
          if (const I id = graph.neighbors[e]; table.insert(id)) {
            list[atomicAdd(list_end, 1u)] = id;
          }
        }
      }
      __syncthreads();
      begin = end;
      end = *list_end;
      if constexpr (!Sorted || Shared) {
        __syncthreads();  // the next hop moves *list_end; to sort what is not in shared memory takes a barrier anyway
      }
      if constexpr (Sorted) {
        sort(begin, end);
      }
      on_hop(hop, begin, end);
    }
    return begin;
  }
};

}  // namespace graphpatcher::kernels
