// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/corrupted_pairs.cuh"

/// Anchors with more neighbours than a warp can list: a whole block works on one
/// pair, and still adds up rows in the order of the neighbours.
namespace graphpatcher::kernels {

struct corrupted_hubs_policy {
  static constexpr int warps = 8;
  static constexpr int threads = warps * warp_size;
  static constexpr int blocks_a_multiprocessor = 2;  ///< at least: up to 128 registers a thread
  static constexpr int tiles = 2;                    ///< of 32 columns, in registers at a time
};

/// What the threads of a block share about one pair.
template <class T, class I>
struct hub_memory {
  static constexpr int warps = corrupted_hubs_policy::warps;
  static constexpr int columns = warp_row<T, 1, corrupted_hubs_policy::tiles>::columns;

  I counts[warps];
  I survivors[corrupted_hubs_policy::threads];  ///< a piece of S,
  I degrees[corrupted_hubs_policy::threads];    ///< degrees
  T rights[corrupted_hubs_policy::threads];     ///< and scales
  T rows[warps][columns];                       ///< hidden rows of survivors, a warp each; z in the end
};

/// Sum of `count` over the warps, each of which gives one number, for all
/// threads; `before`: the sum over the warps before this one. To be called again
/// only after a barrier.
template <class T, class I>
__device__ I sum_over_warps(I count, hub_memory<T, I>& memory, I& before) {
  const int warp = threadIdx.x / warp_size;
  if (threadIdx.x % warp_size == 0) {
    memory.counts[warp] = count;
  }
  __syncthreads();
  before = 0;
  I total = 0;
  for (int w = 0; w < memory.warps; ++w) {
    before += w < warp ? memory.counts[w] : 0;
    total += memory.counts[w];
  }
  return total;
}

/// |D|, for all threads of the block.
template <class T, class I>
__device__ I count_dropped(const corrupted_view<I, true>& view, hub_memory<T, I>& memory) {
  I count = 0;
  for (I n = static_cast<I>(threadIdx.x); n < view.around.count; n += corrupted_hubs_policy::threads) {
    count += view.draw(view.around.ids[n]);
  }
  I before = 0;
  const I total = sum_over_warps(warp_sum(count), memory, before);
  __syncthreads();
  return total;
}

/// Calls body(count) for pieces of S in ascending order, with their ids, degrees
/// and scales in shared memory. A thread looks at a neighbour. The next piece is
/// written behind the barrier in sum_over_warps(): nobody reads this one then.
template <class T, class S, class I, class Body>
__device__ void for_survivors(const pair_arguments<T, S, I>& arguments, const corrupted_view<I, true>& view,
                              hub_memory<T, I>& memory, Body&& body) {
  const unsigned lane = threadIdx.x % warp_size;
  for (I begin = 0; begin < view.around.count; begin += corrupted_hubs_policy::threads) {
    const I n = begin + static_cast<I>(threadIdx.x);
    const I id = n < view.around.count ? view.around.ids[n] : view.anchor;
    const bool kept = id != view.anchor && !view.draw(id);
    const unsigned lanes = __ballot_sync(full_warp, kept);
    I before = 0;
    const I count = sum_over_warps<T, I>(__popc(lanes), memory, before);
    if (kept) {
      const I position = before + __popc(lanes & ((1u << lane) - 1u));
      const I degree = view.degree(id, view.lost_edges(id));
      memory.survivors[position] = id;
      memory.degrees[position] = degree;
      memory.rights[position] = arguments.right(degree);
    }
    __syncthreads();
    body(count);
  }
}

/// h of the hub itself: threads own columns and add up rows of P in order.
template <class T, class S, class I>
__device__ T hub_hidden(const pair_arguments<T, S, I>& arguments, const corrupted_view<I, true>& view, I degree,
                        int first, hub_memory<T, I>& memory) {
  const int column = first + static_cast<int>(threadIdx.x);
  const bool owner = threadIdx.x < memory.columns && column < arguments.hidden;
  const auto element = [&](I node) {
    return widen<T>(arguments.projected[static_cast<std::size_t>(node) * arguments.projected_stride + column]);
  };
  T sum = owner ? arguments.right(degree) * element(view.anchor) : T(0);
  for_survivors(arguments, view, memory, [&](I count) {
    if (owner) {
#pragma unroll 4
      for (I n = 0; n < count; ++n) {
        sum += memory.rights[n] * element(memory.survivors[n]);
      }
    }
  });
  return owner ? max(sum * arguments.left(degree) + arguments.hidden_bias[column], T(0)) : T(0);
}

/// z = left_a · Σ_i right_i · h_i: warps compute hidden rows of survivors, one
/// each; then threads, which own columns, add these up in order.
template <class T, class S, class I>
__device__ T hub_row(const pair_arguments<T, S, I>& arguments, const corrupted_view<I, true>& view, int first,
                     hub_memory<T, I>& memory) {
  const int warp = threadIdx.x / warp_size;
  const I degree = view.degree(view.anchor, view.dropped.count);
  T z = arguments.right(degree) * hub_hidden(arguments, view, degree, first, memory);
  for_survivors(arguments, view, memory, [&](I count) {
    for (I begin = 0; begin < count; begin += memory.warps) {
      if (const I n = begin + warp; n < count) {
        auto h =
            hidden_row<1, corrupted_hubs_policy::tiles>(arguments, view, memory.survivors[n], memory.degrees[n], first);
        h.each([&](T& value, int column) { memory.rows[warp][column] = value; });
      }
      __syncthreads();
      if (threadIdx.x < memory.columns) {
        for (I n = begin; n < min(begin + memory.warps, count); ++n) {
          z += memory.rights[n] * memory.rows[n - begin][threadIdx.x];
        }
      }
      __syncthreads();
    }
  });
  return z * arguments.left(degree);
}

/// The pairs that corrupted_logits_kernel leaves out, with the same answers. A
/// block looks at as many pairs as it has warps and takes the hubs among them,
/// one after another. D is never stored, so a hub may have any degree.
template <class T, class S, class I>
static __global__ void __launch_bounds__(corrupted_hubs_policy::threads, corrupted_hubs_policy::blocks_a_multiprocessor)
    corrupted_hubs_kernel(const pair_arguments<T, S, I> arguments) {
  __shared__ hub_memory<T, I> memory;
  const std::size_t first_pair = std::size_t{blockIdx.x} * memory.warps;
  for (std::size_t pair = first_pair; pair < min(first_pair + memory.warps, arguments.pairs); ++pair) {
    auto view = view_of<true>(arguments, pair);
    if (view.around.count <= warp_degree) {
      continue;
    }
    view.dropped.count = count_dropped(view, memory);
    T* const scores = arguments.scores + pair * arguments.scores_stride;
    for (int first = 0; first < arguments.hidden; first += memory.columns) {
      const T z = hub_row(arguments, view, first, memory);
      if (threadIdx.x < memory.columns) {
        memory.rows[0][threadIdx.x] = z;
      }
      __syncthreads();
      if (threadIdx.x < warp_size) {
        add_scores(arguments, memory.rows[0], first, memory.columns, scores);
      }  // the next row is written behind the barriers of for_survivors()
    }
    if (threadIdx.x < warp_size && arguments.probabilities != nullptr) {
      softmax_scores(scores, arguments.classes, arguments.probabilities + pair * arguments.probabilities_stride);
    }
  }
}

}  // namespace graphpatcher::kernels
