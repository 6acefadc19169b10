// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// How a row weighs the messages it receives, d = degrees of the message graph:
///   sum        Σ_j x_j
///   mean       1 / max(d_in(i), 1) · Σ_j x_j
///   symmetric  max(d_in(i), 1)^-1/2 · Σ_j max(d_out(j), 1)^-1/2 x_j
enum class normalisation { sum, mean, symmetric };

/// The factor a degree gives. Every path computes it here, so that a node has
/// the same factor in the whole graph and in every ego-graph.
template <class T, graph_index I>
T degree_scale(normalisation how, I degree) {
  const T clamped = static_cast<T>(std::max<I>(degree, 1));
  switch (how) {
    case normalisation::mean:
      return T(1) / clamped;
    case normalisation::symmetric:
      return T(1) / std::sqrt(clamped);
    case normalisation::sum:
      break;
  }
  return T(1);
}

}  // namespace graphpatcher
