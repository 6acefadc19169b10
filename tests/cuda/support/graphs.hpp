// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

/// Graphs with the degrees that a test is after.
namespace graphpatcher::test {

using node_id = std::int32_t;

/// Every node is joined to the next, the last one to the first.
inline csr_graph<node_id> ring(node_id nodes) {
  std::vector<edge<node_id>> edges;
  for (node_id v = 0; v < nodes; ++v) {
    edges.push_back({v, (v + 1) % nodes});
  }
  return build_graph<node_id>(static_cast<std::size_t>(nodes), edges);
}

/// Node 0 is joined to 1 .. leaves; the last node, leaves + 1, is isolated.
inline csr_graph<node_id> star(node_id leaves) {
  std::vector<edge<node_id>> edges;
  for (node_id v = 1; v <= leaves; ++v) {
    edges.push_back({0, v});
  }
  return build_graph<node_id>(static_cast<std::size_t>(leaves) + 2, edges);
}

/// The last node is joined to all others: its row ends where the array of neighbours does.
inline csr_graph<node_id> star_around_last(node_id leaves) {
  std::vector<edge<node_id>> edges;
  for (node_id v = 0; v < leaves; ++v) {
    edges.push_back({v, leaves});
  }
  return build_graph<node_id>(static_cast<std::size_t>(leaves) + 1, edges);
}

/// Everybody is joined to everybody else.
inline csr_graph<node_id> clique(node_id nodes) {
  std::vector<edge<node_id>> edges;
  for (node_id v = 0; v < nodes; ++v) {
    for (node_id u = 0; u < v; ++u) {
      edges.push_back({u, v});
    }
  }
  return build_graph<node_id>(static_cast<std::size_t>(nodes), edges);
}

/// The same graph with a loop at every third node.
inline csr_graph<node_id> with_loops(const csr_graph<node_id>& graph) {
  std::vector<edge<node_id>> edges;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    const auto target = static_cast<node_id>(v);
    for (const node_id source : graph.neighbors(v)) {
      edges.push_back({source, target});
    }
    if (v % 3 == 0) {
      edges.push_back({target, target});
    }
  }
  return build_graph<node_id>(graph.nodes(), edges, {.direction = edge_direction::directed, .loops = self_loops::keep});
}

inline std::vector<node_id> every_node(const csr_graph<node_id>& graph) {
  std::vector<node_id> ids(graph.nodes());
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

}  // namespace graphpatcher::test
