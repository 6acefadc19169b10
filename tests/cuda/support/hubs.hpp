// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "graphpatcher/graph/message_graph.hpp"

/// Message graphs with rows of given lengths. Kernels cut rows of more than 512
/// entries into pieces of 256, so the interesting lengths are around those.
namespace graphpatcher::test {

/// Row i has degrees[i] edges. Every third edge of a row comes from node 3, which
/// is therefore a hub of the reverse graph, and a source that most rows have more
/// than once. The first `targets` rows receive only from the first `one_hop`
/// nodes, so that towards(0) and towards(1) leave rows out.
template <graph_index I>
message_graph<I> messages_of_degrees(const std::vector<std::size_t>& degrees, std::size_t targets,
                                     std::size_t one_hop) {
  std::mt19937 random(17);
  const std::size_t nodes = degrees.size();
  message_graph<I> graph;
  graph.within = {static_cast<I>(targets), static_cast<I>(one_hop), static_cast<I>(nodes)};
  graph.global_ids.assign(nodes, 0);
  graph.offsets = {0};
  graph.out_degree.assign(nodes, 0);
  for (std::size_t row = 0; row < nodes; ++row) {
    for (std::size_t e = 0; e < degrees[row]; ++e) {
      const std::size_t source =
          e % 3 == 2 ? std::min<std::size_t>(3, nodes - 1) : random() % (row < targets ? one_hop : nodes);
      graph.sources.push_back(static_cast<I>(source));
      ++graph.out_degree[source];
    }
    graph.in_degree.push_back(static_cast<I>(degrees[row]));
    graph.offsets.push_back(static_cast<I>(graph.sources.size()));
  }
  return graph;
}

/// Rows of no, one, few and very many edges, on both sides of every cut; the
/// block towards(0) ends between two hubs.
template <graph_index I>
message_graph<I> messages_with_hubs() {
  std::vector<std::size_t> degrees{0, 1, 1300, 0, 512, 513, 33, 0, 768, 769, 5, 0, 32, 31, 4, 3};
  degrees.resize(70, 2);
  return messages_of_degrees<I>(degrees, 9, 20);
}

/// `rows` rows of two edges.
template <graph_index I>
message_graph<I> messages_of_rows(std::size_t rows) {
  return messages_of_degrees<I>(std::vector<std::size_t>(rows, 2), rows, rows);
}

/// Most terms of a sum over the edges of a graph, forwards or backwards.
template <graph_index I>
std::size_t longest_sum(const message_graph<I>& graph) {
  const auto most = [](const std::vector<I>& degrees) {
    return degrees.empty() ? std::size_t{0} : static_cast<std::size_t>(std::ranges::max(degrees));
  };
  return std::max(most(graph.in_degree), most(graph.out_degree));
}

}  // namespace graphpatcher::test
