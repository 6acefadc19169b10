// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/corrupted_rows.cuh"
#include "kernels/corrupted_view.cuh"
#include "kernels/runtime/launch.cuh"

namespace graphpatcher::kernels {

/// A pair as a view, nothing drawn yet.
template <bool Hub, class T, class S, class I>
__device__ corrupted_view<I, Hub> view_of(const pair_arguments<T, S, I>& arguments, std::size_t pair) {
  const I anchor = arguments.anchors[pair / arguments.samples];
  const auto sample = static_cast<std::uint32_t>(pair % arguments.samples);
  return {arguments.graph, arguments.draws, anchor, sample, arguments.graph.row(anchor), {nullptr, 0}};
}

/// scores_c (+)= Σ_h z_h · W2_(first + h),c by one warp; lanes own classes and
/// read neighbouring numbers of a row of W2. The bias comes last.
template <class T, class S, class I>
__device__ void add_scores(const pair_arguments<T, S, I>& arguments, const T* z, int first, int columns, T* scores) {
  const int count = min(columns, arguments.hidden - first);
  for (int c = threadIdx.x % warp_size; c < arguments.classes; c += warp_size) {
    const T* const weight = arguments.weight + first * arguments.weight_stride + c;
    T score = first == 0 ? T(0) : scores[c];
#pragma unroll 4
    for (int h = 0; h < count; ++h) {
      score += z[h] * weight[h * arguments.weight_stride];
    }
    scores[c] = first + columns < arguments.hidden ? score : score + arguments.bias[c];
  }
}

/// Softmax of a row of scores by one warp; a lane reads only what it wrote.
template <class T>
__device__ void softmax_scores(const T* scores, int classes, T* probabilities) {
  const int lane = threadIdx.x % warp_size;
  T largest = -std::numeric_limits<T>::infinity();
  for (int c = lane; c < classes; c += warp_size) {
    largest = max(largest, scores[c]);
  }
  largest = warp_max(largest);
  T sum = 0;
  for (int c = lane; c < classes; c += warp_size) {
    sum += exp(scores[c] - largest);
  }
  sum = warp_sum(sum);
  for (int c = lane; c < classes; c += warp_size) {
    probabilities[c] = exp(scores[c] - largest) / sum;
  }
}

/// The nodes whose hidden rows an anchor adds up: itself, then the neighbours
/// that survive, ascending. Walked by one warp, 32 neighbours at a look.
template <class I>
class source_walk {
public:
  __device__ explicit source_walk(const corrupted_view<I, false>& view) : view_(view) {}

  /// The next one after `node`, which starts as the anchor; false at the end.
  __device__ bool next(I& node) {
    while (lanes_ == 0) {
      if (begin_ >= view_.around.count) {
        return false;
      }
      const I n = begin_ + static_cast<I>(threadIdx.x % warp_size);
      begin_ += warp_size;
      id_ = n < view_.around.count ? view_.around.ids[n] : view_.anchor;
      lanes_ = __ballot_sync(full_warp, id_ != view_.anchor && !view_.is_dropped(id_));
    }
    node = __shfl_sync(full_warp, id_, __ffs(lanes_) - 1);
    lanes_ &= lanes_ - 1;
    return true;
  }

private:
  const corrupted_view<I, false>& view_;
  I begin_ = 0;
  I id_ = 0;
  unsigned lanes_ = 0;
};

/// z = left_a · Σ_i right_i · h_i over the anchor and its survivors, the columns
/// of one tile, by one warp.
template <int Pack, int Tiles, class T, class S, class I>
__device__ warp_row<T, Pack, Tiles> anchor_row(const pair_arguments<T, S, I>& arguments,
                                               const corrupted_view<I, false>& view, int first) {
  const I anchor_degree = view.degree(view.anchor, view.dropped.count);
  warp_row<T, Pack, Tiles> z{};
  source_walk<I> sources(view);
  I node = view.anchor;
  I degree = anchor_degree;
  for (bool more = true; more;) {
    const auto h = hidden_row<Pack, Tiles>(arguments, view, node, degree, first);
    z.add(h, arguments.right(degree));
    more = sources.next(node);
    degree = more ? view.degree(node, warp_lost_edges(view, node)) : anchor_degree;
  }
  z.each([&](T& value, int) { value *= arguments.left(anchor_degree); });
  return z;
}

/// Answers of (anchor, sample) pairs: equations in ops/corrupted_logits.hpp.
///
/// A warp takes a pair from random bits to its answers. Neighbouring warps have
/// samples of one anchor: what one reads, the others find in the cache. Pairs of
/// hubs are left to corrupted_hubs_kernel.
///
/// Per pair: 4 bytes an edge of the anchor and its survivors, a row of P a
/// source of theirs, W2 once from the cache; one Philox block a neighbour;
/// 2 flops a number read.
template <class T, class S, class I, int Pack, int Tiles>
static __global__ void __launch_bounds__(corrupted_logits_policy::threads,
                                         corrupted_logits_policy::blocks_a_multiprocessor)
    corrupted_logits_kernel(const pair_arguments<T, S, I> arguments) {
  constexpr int warps = corrupted_logits_policy::warps;
  constexpr int columns = warp_row<T, Pack, Tiles>::columns;
  __shared__ alignas(16) T rows[warps][columns];
  __shared__ I dropped[warps][warp_degree];
  const int warp = threadIdx.x / warp_size;
  const std::size_t pair = std::size_t{blockIdx.x} * warps + warp;
  if (pair >= arguments.pairs) {
    return;
  }
  auto view = view_of<false>(arguments, pair);
  if (view.around.count > warp_degree) {
    return;
  }
  view.dropped = {dropped[warp], list_dropped(view, dropped[warp])};
  __syncwarp();
  T* const scores = arguments.scores + pair * arguments.scores_stride;
  for (int first = 0; first < arguments.hidden; first += columns) {
    anchor_row<Pack, Tiles>(arguments, view, first).write(rows[warp]);
    __syncwarp();
    add_scores(arguments, rows[warp], first, columns, scores);
    if constexpr (Tiles > 1) {
      __syncwarp();  // shape_for() gives a single tile only to rows that fit into it: there is no next pass
    }
  }
  if (arguments.probabilities != nullptr) {
    softmax_scores(scores, arguments.classes, arguments.probabilities + pair * arguments.probabilities_stride);
  }
}

}  // namespace graphpatcher::kernels
