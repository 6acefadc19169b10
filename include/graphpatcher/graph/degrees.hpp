// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// Number of nodes that send to each node; no self-loop is added.
template <graph_index I>
std::vector<I> in_degrees(const csr_graph<I>& graph) {
  std::vector<I> result(graph.nodes());
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    result[v] = graph.offsets()[v + 1] - graph.offsets()[v];
  }
  return result;
}

/// Number of nodes that each node sends to; no self-loop is added. The same as
/// in_degrees() in an undirected graph.
template <graph_index I>
std::vector<I> out_degrees(const csr_graph<I>& graph) {
  std::vector<I> result(graph.nodes(), 0);
  for (const I source : graph.neighbors()) {
    ++result[static_cast<std::size_t>(source)];
  }
  return result;
}

/// The graph with every edge turned round: row u lists the nodes that u sends
/// to, ascending. An adjoint sums along it.
template <graph_index I>
csr_graph<I> reverse_graph(const csr_graph<I>& graph) {
  const auto counts = out_degrees(graph);
  std::vector<I> offsets(graph.nodes() + 1, 0);
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    offsets[v + 1] = offsets[v] + counts[v];
  }
  std::vector<I> next(offsets.begin(), offsets.end() - 1);
  std::vector<I> receivers(graph.entries());
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    for (const I source : graph.neighbors(v)) {
      receivers[static_cast<std::size_t>(next[static_cast<std::size_t>(source)]++)] = static_cast<I>(v);
    }
  }
  return {std::move(offsets), std::move(receivers)};
}

/// Whether every edge stands in both directions equally often: an undirected
/// graph, which is its own reverse. Rows ascend, so the nodes v that name a node
/// u come in the order in which u's row names them.
template <graph_index I>
bool is_symmetric(const csr_graph<I>& graph) {
  std::vector<std::size_t> named(graph.nodes(), 0);
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    for (const I u : graph.neighbors(v)) {
      const auto other = graph.neighbors(static_cast<std::size_t>(u));
      const std::size_t position = named[static_cast<std::size_t>(u)]++;
      if (position >= other.size() || other[position] != static_cast<I>(v)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace graphpatcher
