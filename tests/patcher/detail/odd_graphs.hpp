// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
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

/// Larger weights and biases off zero: every part of a model matters.
template <class Model>
Model shaken(Model model, double scale = 1.5) {
  unsigned seed = 1;
  for (auto* p : model.parameters()) {
    std::mt19937 random(seed++);
    std::uniform_real_distribution<double> off(-0.3, 0.3);
    for (auto& value : p->value.values()) {
      value = static_cast<typename Model::scalar_type>(scale * static_cast<double>(value) + off(random));
    }
  }
  return model;
}

/// Calls check(name, model) for every kind of backbone the fast path knows.
template <class T, class Check>
void for_each_backbone(std::size_t features, std::size_t classes, Check&& check) {
  using norm = gp::normalisation;
  check("gcn, mean", shaken(gp::gcn_backbone<T>({.hidden = 8, .norm = norm::mean}, features, classes)));
  check("gcn, symmetric", shaken(gp::gcn_backbone<T>({.hidden = 13, .norm = norm::symmetric}, features, classes)));
  check("sage, mean",
        shaken(gp::sage_backbone<T>({.hidden = 9, .aggregator = gp::sage_aggregator::mean}, features, classes)));
  check("sage, pool",
        shaken(gp::sage_backbone<T>({.hidden = 9, .aggregator = gp::sage_aggregator::pool}, features, classes)));
  check("gat", shaken(gp::gat_backbone<T>({.hidden = 5, .heads = 3, .output_heads = 2}, features, classes)));
}

}  // namespace odd
