// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/row_team.cuh"

/// Attention over edges, as the work of a team on one row; equations in
/// ops/edge_softmax.hpp. Each pass over a row reads H numbers an edge.
namespace graphpatcher::kernels {

/// Calls visit(e) for the edges of this thread, in order.
template <class Team, class Visit>
__device__ void for_own_edges(const Team& team, std::int64_t begin, std::int64_t end, Visit visit) {
  if (team.busy()) {
#pragma unroll 1
    for (std::int64_t e = begin + team.slot; e < end; e += team.slots) {
      visit(e);
    }
  }
}

/// out(e, h) = leaky_relu(el(source, h) + er(row, h))
template <class T, class I>
struct edge_scores_work {
  const I* sources;
  device_rows<const T> el;
  device_rows<const T> er;
  T slope;
  device_rows<T> out;

  template <class Team>
  __device__ void operator()(const Team& team, std::int64_t row, std::int64_t begin, std::int64_t end, int head) const {
    if (begin == end) {
      return;
    }
    const T right = *er.at(row, head);
    for_own_edges(team, begin, end, [&](std::int64_t e) {
      const T score = *el.at(sources[e], head) + right;
      *out.at(e, head) = score > T(0) ? score : slope * score;
    });
  }
};

/// sums(row, h) += Σ gradient(e, h) · (slope of leaky_relu at scores(e, h))
///
/// e runs over the row's own edges, or over edges[k] of its entries k: ascending,
/// those from `limit` on belong to rows outside the block.
template <class T, class I>
struct edge_scores_adjoint_work {
  const I* edges;  // null: entry k is edge k
  std::int64_t limit;
  device_rows<const T> scores;
  T slope;
  device_rows<const T> gradient;
  device_rows<T> sums;

  template <class Team>
  __device__ void operator()(const Team& team, std::int64_t row, std::int64_t begin, std::int64_t end, int head) const {
    T sum = 0;
    for_own_edges(team, begin, end, [&](std::int64_t k) {
      const std::int64_t e = edges == nullptr ? k : edges[k];
      if (e < limit) {
        sum += *gradient.at(e, head) * (*scores.at(e, head) > T(0) ? T(1) : slope);
      }
    });
    sum = team_sum(team, sum);
    if (row >= 0 && team.slot == 0) {
      *sums.at(row, head) += sum;
    }
  }
};

/// out(e, h) = exp(scores(e, h) - m) / Σ exp(scores - m), m = the row's largest
template <class T>
struct edge_softmax_work {
  device_rows<const T> scores;
  device_rows<T> out;

  template <class Team>
  __device__ void operator()(const Team& team, std::int64_t, std::int64_t begin, std::int64_t end, int head) const {
    T largest = -std::numeric_limits<T>::infinity();
    for_own_edges(team, begin, end, [&](std::int64_t e) {
      const T score = *scores.at(e, head);
      largest = largest < score ? score : largest;
    });
    largest = team_max(team, largest, 0);
    T sum = 0;
    for_own_edges(team, begin, end, [&](std::int64_t e) {
      const T power = exp(*scores.at(e, head) - largest);
      *out.at(e, head) = power;
      sum += power;
    });
    sum = team_sum(team, sum, 1);
    for_own_edges(team, begin, end, [&](std::int64_t e) { *out.at(e, head) /= sum; });
  }
};

/// scores_gradient(e, h) += α(e, h) · (gradient(e, h) - Σ α · gradient)
template <class T>
struct edge_softmax_adjoint_work {
  device_rows<const T> alpha;
  device_rows<const T> gradient;
  device_rows<T> scores_gradient;

  template <class Team>
  __device__ void operator()(const Team& team, std::int64_t, std::int64_t begin, std::int64_t end, int head) const {
    T mean = 0;
    for_own_edges(team, begin, end, [&](std::int64_t e) { mean += *alpha.at(e, head) * *gradient.at(e, head); });
    mean = team_sum(team, mean);
    for_own_edges(team, begin, end, [&](std::int64_t e) {
      *scores_gradient.at(e, head) += *alpha.at(e, head) * (*gradient.at(e, head) - mean);
    });
  }
};

}  // namespace graphpatcher::kernels
