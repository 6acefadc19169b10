// SPDX-License-Identifier: MIT
#pragma once

#include <rapidcheck/catch.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/patcher/generator.hpp"
#include "patcher/detail/backbones.hpp"
#include "support/random_matrix.hpp"

/// What properties are checked on, drawn by RapidCheck: edges one by one, so that a counterexample shrinks to few.
namespace arbitrary {

namespace gp = graphpatcher;
using node_id = std::int32_t;

inline std::size_t size(std::size_t least, std::size_t most) {
  return *rc::gen::inRange(least, most + 1);
}
inline unsigned seed() {
  return *rc::gen::inRange(0u, 1000u);
}

/// From a lone node to graphs with hubs; self-loops and repeated edges are left out by build_graph().
inline gp::csr_graph<node_id> graph() {
  const std::size_t nodes = size(1, 18);
  const auto last = static_cast<node_id>(nodes);
  const auto ends = *rc::gen::container<std::vector<std::pair<node_id, node_id>>>(
      rc::gen::pair(rc::gen::inRange<node_id>(0, last), rc::gen::inRange<node_id>(0, last)));
  std::vector<gp::edge<node_id>> edges;
  for (const auto& [source, target] : ends) {
    edges.push_back({source, target});
  }
  return gp::build_graph<node_id>(nodes, edges);
}

/// Rows with zeros among them.
inline gp::feature_table<double, node_id> features(std::size_t nodes) {
  const unsigned start = seed();
  auto rows = support::random_matrix<double>(nodes, size(1, 7), start);
  std::mt19937 random(start);
  for (double& value : rows.values()) {
    value = random() % 2 == 0 ? 0 : value;
  }
  return gp::sparse_from_dense<node_id>(rows.view());
}

struct attributed_graph {
  gp::csr_graph<node_id> graph;
  gp::feature_table<double, node_id> features;

  std::size_t longest_row() const {
    std::size_t longest = 0;
    for (std::size_t v = 0; v < graph.nodes(); ++v) {
      longest = std::max(longest, static_cast<std::size_t>(graph.degree(v)));
    }
    return longest;
  }
};

inline attributed_graph data() {
  auto drawn = graph();
  auto rows = features(drawn.nodes());
  return {std::move(drawn), std::move(rows)};
}

inline std::vector<node_id> every_node(const gp::csr_graph<node_id>& graph) {
  std::vector<node_id> nodes(graph.nodes());
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    nodes[v] = static_cast<node_id>(v);
  }
  return nodes;
}

/// All nodes in another order.
inline std::vector<node_id> shuffled(const gp::csr_graph<node_id>& graph) {
  auto nodes = every_node(graph);
  std::shuffle(nodes.begin(), nodes.end(), std::mt19937(seed()));
  return nodes;
}

constexpr std::size_t classes = 3;

/// Networks of sums, maxima and ReLU: those that rounding.hpp bounds. `body(name, model)`.
template <class Body>
void each_relu_backbone(const attributed_graph& data, Body&& body) {
  const std::size_t hidden = size(1, 6);
  const std::size_t cols = data.features.cols();
  const std::uint64_t start = seed();
  for (const auto norm : {gp::normalisation::sum, gp::normalisation::mean, gp::normalisation::symmetric}) {
    body(backbones::shaken(gp::gcn_backbone<double>({.hidden = hidden, .norm = norm, .seed = start}, cols, classes)));
  }
  for (const auto aggregator : {gp::sage_aggregator::mean, gp::sage_aggregator::pool}) {
    body(backbones::shaken(
        gp::sage_backbone<double>({.hidden = hidden, .aggregator = aggregator, .seed = start}, cols, classes)));
  }
}

template <class Body>
void each_backbone(const attributed_graph& data, Body&& body) {
  each_relu_backbone(data, body);
  body(backbones::shaken(gp::gat_backbone<double>({.hidden = 2, .heads = 2, .output_heads = 2, .seed = seed()},
                                                  data.features.cols(), classes)));
}

inline gp::patch_generator<double> generator(const attributed_graph& data) {
  return backbones::shaken(
      gp::patch_generator<double>({.features = data.features.cols(), .hidden = size(1, 5), .seed = seed()}));
}

}  // namespace arbitrary
