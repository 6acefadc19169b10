// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/message_graph.hpp"

/// Inputs for tests of operations over messages.
namespace random_input {

namespace gp = graphpatcher;

/// Numbers in [-1, 1), different for every seed.
template <class T>
gp::matrix<T> values(std::size_t rows, std::size_t cols, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> pick(-1, 1);
  gp::matrix<T> result(rows, cols);
  for (T& value : result.values()) {
    value = static_cast<T>(pick(random));
  }
  return result;
}

/// Distinct numbers in a random order, at least 1 / count apart: no ties, and
/// small steps change no order.
template <class T>
gp::matrix<T> distinct_values(std::size_t rows, std::size_t cols, unsigned seed) {
  gp::matrix<T> result(rows, cols);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result.values()[i] = static_cast<T>(2 * (static_cast<double>(i) + 0.5) / static_cast<double>(result.size()) - 1);
  }
  std::shuffle(result.values().begin(), result.values().end(), std::mt19937(seed));
  return result;
}

/// A message graph with a hub (row 0), a row without sources (row 1), repeated
/// edges, and rows beyond those within one hop: 4 targets, half of the nodes
/// within one hop. Its blocks towards(0) and towards(1) leave rows out.
template <gp::graph_index I>
gp::message_graph<I> messages(std::size_t nodes, unsigned seed) {
  std::mt19937 random(seed);
  gp::message_graph<I> graph;
  const std::size_t targets = 4;
  const std::size_t one_hop = nodes / 2;
  graph.within = {static_cast<I>(targets), static_cast<I>(one_hop), static_cast<I>(nodes)};
  graph.global_ids.resize(nodes);
  graph.offsets = {0};
  graph.in_degree.assign(nodes, 0);
  graph.out_degree.assign(nodes, 0);
  for (std::size_t row = 0; row < nodes; ++row) {
    graph.global_ids[row] = static_cast<I>(row);
    std::uniform_int_distribution<std::size_t> source(0, (row < targets ? one_hop : nodes) - 1);
    const std::size_t count = row == 0 ? 3 * nodes : row == 1 ? 0 : random() % 5;
    for (std::size_t e = 0; e < count; ++e) {
      const std::size_t j = source(random);
      for (std::size_t copies = e % 4 == 0 ? 2 : 1; copies > 0; --copies) {
        graph.sources.push_back(static_cast<I>(j));
        ++graph.in_degree[row];
        ++graph.out_degree[j];
      }
    }
    graph.offsets.push_back(static_cast<I>(graph.sources.size()));
  }
  return graph;
}

/// The blocks of a graph a layer may be given: every row, and prefixes.
template <gp::graph_index I>
std::vector<gp::message_block<I>> blocks(const gp::message_graph<I>& graph) {
  return {graph.all(), graph.towards(1), graph.towards(0)};
}

/// Row of each edge of a block.
template <gp::graph_index I>
std::vector<std::size_t> edge_rows(const gp::message_block<I>& block) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < block.rows(); ++i) {
    rows.resize(static_cast<std::size_t>(block.offsets()[i + 1]), i);
  }
  return rows;
}

}  // namespace random_input
