// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/message_graph.hpp"

namespace graphpatcher {

/// The message graph of a whole graph, in which every node is a target: what a
/// backbone is trained on. Node v receives from itself, then from its
/// in-neighbours ascending. A self-loop that the data already has is left out,
/// so that exactly one stands; degrees count it.
template <graph_index I>
message_graph<I> whole_graph(const csr_graph<I>& graph) {
  const std::size_t nodes = graph.nodes();
  expects<shape_error>(nodes > 0,
                       "whole_graph: expected a graph with at least 1 node, got none; make one with "
                       "build_graph()");
  constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<I>::max());
  expects<overflow_error>(std::uint64_t{graph.entries()} + nodes <= limit, "whole_graph: ", graph.entries(),
                          " entries and ", nodes, " self-loops do not fit an index of ", 8 * sizeof(I), " bits",
                          sizeof(I) < 8 ? "; use std::int64_t as index type" : "");

  message_graph<I> result;
  result.offsets.reserve(nodes + 1);
  result.offsets.push_back(0);
  result.sources.reserve(graph.entries() + nodes);
  result.in_degree.resize(nodes);
  result.out_degree.assign(nodes, 0);
  for (std::size_t v = 0; v < nodes; ++v) {
    const I self = static_cast<I>(v);
    result.sources.push_back(self);
    ++result.out_degree[v];
    for (const I neighbor : graph.neighbors(v)) {
      if (neighbor != self) {
        result.sources.push_back(neighbor);
        ++result.out_degree[static_cast<std::size_t>(neighbor)];
      }
    }
    result.offsets.push_back(static_cast<I>(result.sources.size()));
    result.in_degree[v] = result.offsets[v + 1] - result.offsets[v];
  }
  result.within = {static_cast<I>(nodes)};
  result.global_ids.resize(nodes);
  std::iota(result.global_ids.begin(), result.global_ids.end(), I{0});
  return result;
}

}  // namespace graphpatcher
