// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "graphpatcher/graph/dataset.hpp"
#include "support/slow_graph.hpp"

/// Small datasets with everything in them: a hub, triangles, isolated nodes.
namespace toy {

namespace gp = graphpatcher;
using node_id = std::int32_t;

template <class T>
gp::feature_table<T, node_id> random_features(std::size_t nodes, std::size_t width, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(0.1, 1.0);
  std::bernoulli_distribution present(0.4);
  gp::matrix<T> dense(nodes, width);
  for (auto& x : dense.values()) {
    x = present(random) ? static_cast<T>(value(random)) : T(0);
  }
  return gp::sparse_from_dense<node_id>(dense.view());
}

/// Labels follow the first feature, so that something can be learnt.
template <class T>
gp::dataset<T, node_id> make(std::size_t nodes = 60, std::size_t edges = 90, std::size_t width = 12,
                             unsigned seed = 1) {
  gp::dataset<T, node_id> data;
  data.name = "toy";
  data.graph = slow::random_graph<node_id>(nodes, edges, seed);
  data.features = random_features<T>(nodes, width, seed);
  data.classes = 3;
  for (std::size_t v = 0; v < nodes; ++v) {
    const auto columns = data.features.sparse().row_columns(v);
    data.labels.push_back(columns.empty() ? 0 : columns[0] % 3);
    auto& part = v % 3 == 0 ? data.split.train : v % 3 == 1 ? data.split.validation : data.split.test;
    part.push_back(static_cast<node_id>(v));
  }
  return data;
}

inline std::vector<node_id> all_nodes(std::size_t count) {
  std::vector<node_id> nodes(count);
  for (std::size_t v = 0; v < count; ++v) {
    nodes[v] = static_cast<node_id>(v);
  }
  return nodes;
}

}  // namespace toy
