// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "graphpatcher/core/narrow_float.hpp"
#include "kernels/corrupted_view.cuh"
#include "kernels/runtime/launch.cuh"

namespace graphpatcher::kernels {

struct corrupted_logits_policy {
  static constexpr int warps = 8;  ///< pairs a block
  static constexpr int threads = warps * warp_size;
  static constexpr int blocks_a_multiprocessor = 2;  ///< at least: up to 128 registers a thread
  static constexpr int rows_in_flight = 4;           ///< rows a warp loads before it adds the first
};

/// Arguments of the kernel; see ops/frozen_gcn.hpp.
template <class T, class S, class I>
struct pair_arguments {
  graph_rows<I> graph;
  const S* projected;
  std::size_t projected_stride;
  const T* hidden_bias;
  const T* weight;
  std::size_t weight_stride;
  const T* bias;
  int hidden;
  int classes;
  bool symmetric;

  corruption_draws draws;
  const I* anchors;
  std::size_t pairs;
  std::uint32_t samples;

  T* scores;  ///< row p: the logits of pair p
  std::size_t scores_stride;
  T* probabilities;  ///< null: not wanted; may be `scores`
  std::size_t probabilities_stride;

  /// degree_scale() of ops/spmm.hpp; degrees are at least 1.
  __device__ T left(I degree) const {
    const T value = static_cast<T>(degree);
    return T(1) / (symmetric ? sqrt(value) : value);
  }
  __device__ T right(I degree) const { return symmetric ? left(degree) : T(1); }
};

template <class T, class S>
__device__ T widen(S value) {
  if constexpr (std::is_same_v<S, float16>) {
    return __half2float(__ushort_as_half(value.bits));
  } else if constexpr (std::is_same_v<S, bfloat16>) {
    return __bfloat162float(__ushort_as_bfloat16(value.bits));
  } else {
    return value;
  }
}

/// A row of numbers spread over a warp: lane l holds columns
/// first + (t · 32 + l) · Pack + p. Neighbouring lanes read neighbouring packs.
template <class T, int Pack, int Tiles>
struct warp_row {
  static constexpr int columns = warp_size * Pack * Tiles;
  T values[Tiles][Pack];

  static __device__ int column(int tile) {
    return (tile * warp_size + static_cast<int>(threadIdx.x % warp_size)) * Pack;
  }
  /// this += scale · other
  __device__ void add(const warp_row& other, T scale) {
#pragma unroll
    for (int t = 0; t < Tiles; ++t) {
#pragma unroll
      for (int p = 0; p < Pack; ++p) {
        values[t][p] += scale * other.values[t][p];
      }
    }
  }
  /// Writes the row to shared memory, a pack at once: numbers one by one would meet in one bank.
  __device__ void write(T* row) const {
#pragma unroll
    for (int t = 0; t < Tiles; ++t) {
      pack<T, Pack> part;
#pragma unroll
      for (int p = 0; p < Pack; ++p) {
        part[p] = values[t][p];
      }
      store(row + column(t), part);
    }
  }
  /// Calls body(value, c) for each of the lane's numbers, c = its column less `first`.
  template <class Body>
  __device__ void each(Body&& body) {
#pragma unroll
    for (int t = 0; t < Tiles; ++t) {
#pragma unroll
      for (int p = 0; p < Pack; ++p) {
        body(values[t][p], column(t) + p);
      }
    }
  }
};

/// The packs of one row of P that a lane owns, on their way from memory.
template <class S, int Pack, int Tiles>
struct row_load {
  pack<S, Pack> packs[Tiles];

  template <class T, class I>
  __device__ void start(const pair_arguments<T, S, I>& arguments, I node, int first) {
    const S* const row = arguments.projected + static_cast<std::size_t>(node) * arguments.projected_stride + first;
#pragma unroll
    for (int t = 0; t < Tiles; ++t) {
      const int column = warp_row<T, Pack, Tiles>::column(t);
      packs[t] = first + column < arguments.hidden ? load<Pack>(row + column) : pack<S, Pack>{};
    }
  }
  /// sum += scale · row
  template <class T>
  __device__ void add_to(warp_row<T, Pack, Tiles>& sum, T scale) const {
#pragma unroll
    for (int t = 0; t < Tiles; ++t) {
#pragma unroll
      for (int p = 0; p < Pack; ++p) {
        sum.values[t][p] += scale * widen<T>(packs[t][p]);
      }
    }
  }
};

/// |N(node) ∩ D| by one warp, all lanes.
template <class I, bool Hub>
__device__ I warp_lost_edges(const corrupted_view<I, Hub>& view, I node) {
  I lost = 0;
  if (view.dropped.count > 0) {
    const auto row = view.graph.row(node);
    for (I first = 0; first < row.count; first += warp_size) {
      const I n = first + static_cast<I>(threadIdx.x % warp_size);
      lost += __popc(__ballot_sync(full_warp, n < row.count && view.is_dropped(row.ids[n])));
    }
  }
  return lost;
}

/// h = relu(left · Σ_j right_j · P_j + hidden_bias) of a node whose degree is
/// known, over itself and what is left of its neighbours: all columns of a tile
/// from `first` on. By one warp, all lanes.
///
/// Lanes first look at 32 neighbours at a time, one each (dropped? its scale),
/// then all of them read the surviving rows, a few in flight, and add them in
/// order. Reads 4 bytes an edge and a row of P a source; 2 flops a number.
template <int Pack, int Tiles, class T, class S, class I, bool Hub>
__device__ warp_row<T, Pack, Tiles> hidden_row(const pair_arguments<T, S, I>& arguments,
                                               const corrupted_view<I, Hub>& view, I node, I degree, int first) {
  constexpr int in_flight = corrupted_logits_policy::rows_in_flight;
  const unsigned lane = threadIdx.x % warp_size;
  const auto row = view.graph.row(node);
  warp_row<T, Pack, Tiles> sum{};
  row_load<S, Pack, Tiles> loads[in_flight];
  loads[0].start(arguments, node, first);
  loads[0].add_to(sum, arguments.right(degree));
  for (I begin = 0; begin < row.count; begin += warp_size) {
    const I n = begin + static_cast<I>(lane);
    const I id = n < row.count ? row.ids[n] : node;
    const bool kept = id != node && !view.is_dropped(id);
    T scale = 1;
    if (arguments.symmetric && kept) {
      scale = arguments.right(view.degree(id, view.lost_edges(id)));
    }
    for (unsigned lanes = __ballot_sync(full_warp, kept); lanes != 0;) {
      const int count = min(in_flight, __popc(lanes));
      int from[in_flight];
#pragma unroll
      for (int r = 0; r < in_flight; ++r) {
        from[r] = __ffs(lanes) - 1;
        lanes &= lanes - 1;
        if (r < count) {
          loads[r].start(arguments, __shfl_sync(full_warp, id, from[r]), first);
        }
      }
#pragma unroll
      for (int r = 0; r < in_flight; ++r) {
        if (r < count) {
          loads[r].add_to(sum, __shfl_sync(full_warp, scale, from[r]));
        }
      }
    }
  }
  const T left = arguments.left(degree);
  sum.each([&](T& value, int column) {
    const T bias = first + column < arguments.hidden ? arguments.hidden_bias[first + column] : T(0);
    value = max(value * left + bias, T(0));
  });
  return sum;
}

}  // namespace graphpatcher::kernels
