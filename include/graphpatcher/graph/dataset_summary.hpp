// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

/// How large a dataset is, for people to compare with what they meant. What only a reader knows, what it left out, is 0
/// without one.
struct dataset_summary {
  std::size_t nodes = 0;
  std::size_t isolated = 0;  ///< nodes without an edge
  std::size_t edges = 0;     ///< of the graph
  std::size_t repeated = 0;  ///< listed again, and merged
  std::size_t loops = 0;     ///< from a node to itself, and left out
  std::size_t columns = 0;   ///< of the features
  bool dense = false;        ///< how they are stored
  std::size_t classes = 0;
  std::size_t unlabelled = 0;  ///< nodes without a class
  std::size_t train = 0, validation = 0, test = 0;
  bool random_split = false;

  /// As a line: "300 nodes, 5 isolated; 447 edges, 20 repeated, 2 loops left out; 128 dense columns; 3 classes; split
  /// 30/30/240 random".
  std::string line() const {
    const auto some = [](std::size_t count, const char* what) {
      return count == 0 ? std::string() : text(", ", count, what);
    };
    return text(nodes, " nodes", some(isolated, " isolated"), "; ", edges, " edges", some(repeated, " repeated"),
                some(loops, " loops left out"), "; ", columns, dense ? " dense" : " sparse", " columns; ", classes,
                " classes", some(unlabelled, " nodes without one"), "; split ", train, "/", validation, "/", test,
                random_split ? " random" : "");
  }
};

/// Of any dataset; edges are those of an undirected graph.
template <class T, graph_index I>
dataset_summary summarise(const dataset<T, I>& data) {
  std::vector<char> has_edge(data.nodes(), 0);
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    for (const I neighbor : data.graph.neighbors(v)) {
      has_edge[v] = has_edge[static_cast<std::size_t>(neighbor)] = 1;
    }
  }
  return {.nodes = data.nodes(),
          .isolated = static_cast<std::size_t>(std::ranges::count(has_edge, 0)),
          .edges = data.graph.entries() / 2,
          .columns = data.features.cols(),
          .dense = data.features.is_dense(),
          .classes = data.classes,
          .unlabelled = static_cast<std::size_t>(std::ranges::count(data.labels, I(-1))),
          .train = data.split.train.size(),
          .validation = data.split.validation.size(),
          .test = data.split.test.size()};
}

}  // namespace graphpatcher
