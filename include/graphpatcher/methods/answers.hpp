// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/ops/loss.hpp"

/// What models answer, a row a node.
namespace graphpatcher {

/// The rows of some nodes, in their order.
template <class T, graph_index I>
matrix<T> rows_of_nodes(const matrix<T>& all, std::span<const I> nodes) {
  matrix<T> rows(nodes.size(), all.cols());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    expects<index_error>(nodes[i] >= 0 && static_cast<std::size_t>(nodes[i]) < all.rows(), "methods: node ", nodes[i],
                         ", expected an id in [0, ", all.rows(), ")");
    std::ranges::copy(all.row(static_cast<std::size_t>(nodes[i])), rows.row(i).begin());
  }
  return rows;
}

/// Every node of a graph.
template <graph_index I>
std::vector<I> every_node(std::size_t count) {
  std::vector<I> nodes(count);
  std::iota(nodes.begin(), nodes.end(), I(0));
  return nodes;
}

/// Logits as probabilities.
template <class T>
matrix<T> probabilities_of(const cpu& exec, const matrix<T>& logits) {
  matrix<T> p(logits.rows(), logits.cols());
  softmax(exec, logits.view(), p.view());
  return p;
}

}  // namespace graphpatcher
