// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
#include "patcher/detail/backbones.hpp"
#include "support/toy_data.hpp"

/// Undirected graphs on which shortcuts go wrong first.
namespace odd {

namespace gp = graphpatcher;
using toy::node_id;

struct named_graph {
  std::string name;
  gp::csr_graph<node_id> graph;
};

inline gp::csr_graph<node_id> from(std::size_t nodes, const std::vector<gp::edge<node_id>>& edges,
                                   gp::build_options options = {}) {
  return gp::build_graph<node_id>(nodes, edges, options);
}

inline std::vector<named_graph> graphs() {
  std::vector<named_graph> all;
  std::vector<gp::edge<node_id>> star;
  std::vector<gp::edge<node_id>> clique;
  std::vector<gp::edge<node_id>> hub;
  for (node_id v = 1; v < 9; ++v) {
    star.push_back({0, v});
    for (node_id u = 0; u < v; ++u) {
      clique.push_back({u, v});
    }
  }
  for (node_id v = 1; v < 150; ++v) {  // every leaf of the hub has a triangle with the next one
    hub.push_back({0, v});
    hub.push_back({v, v % 149 + 1});
  }
  all.push_back({"star", from(10, star)});  // node 9 is isolated
  all.push_back({"clique", from(9, clique)});
  all.push_back({"hub of degree 149", from(150, hub)});
  all.push_back({"random", slow::random_graph<node_id>(60, 110, 3)});
  auto repeated = clique;
  repeated.insert(repeated.end(), {{0, 1}, {0, 1}, {2, 5}, {3, 3}});
  all.push_back({"multi-edges and a loop",
                 from(11, repeated, {.duplicates = gp::duplicate_edges::keep, .loops = gp::self_loops::keep})});
  return all;
}

/// A dataset over one of them.
template <class T>
gp::dataset<T, node_id> data_on(const gp::csr_graph<node_id>& graph, std::size_t width = 12) {
  auto data = toy::make<T>(graph.nodes(), 0, width, 5);
  data.graph = graph;
  return data;
}

}  // namespace odd
