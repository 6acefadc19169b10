// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

/// Whether neighbours can be trusted to be of a node's class: by the labels of some nodes, and without any.
namespace graphpatcher {

/// Column of the largest value of every row; of equals the lower.
template <class T>
std::vector<std::size_t> largest_columns(matrix_view<const T> rows) {
  std::vector<std::size_t> classes(rows.rows());
  for (std::size_t v = 0; v < rows.rows(); ++v) {
    const auto row = rows.row(v);
    classes[v] = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
  }
  return classes;
}

/// H: agreement of labels with the classes predicted for neighbours, over what chance gives. Over the named nodes v
/// that have a neighbour, a_v = share of neighbours of predicted class y_v,
///
///   e = sum_c pi_c r_c,   H = (mean a - e) / (1 - e)
///
/// pi_c the share of nodes labelled c, r_c the mean share of neighbours predicted c. 0 where there is nothing to
/// compare.
template <graph_index I>
double neighbor_agreement(const csr_graph<I>& graph, std::span<const std::size_t> predicted, std::span<const I> nodes,
                          std::span<const I> labels, std::size_t classes) {
  std::vector<double> own(classes), others(classes), seen(classes);
  double agreed = 0, count = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto neighbors = graph.neighbors(static_cast<std::size_t>(nodes[i]));
    if (neighbors.empty()) {
      continue;
    }
    const auto label = static_cast<std::size_t>(labels[i]);
    std::ranges::fill(seen, 0.0);
    for (const I u : neighbors) {
      seen[predicted[static_cast<std::size_t>(u)]] += 1 / static_cast<double>(neighbors.size());
    }
    agreed += seen[label];
    own[label] += 1;
    std::ranges::transform(others, seen, others.begin(), std::plus<>());
    count += 1;
  }
  const double chance =
      count == 0 ? 1 : std::inner_product(own.begin(), own.end(), others.begin(), 0.0) / count / count;
  return chance >= 1 ? 0.0 : (agreed / count - chance) / (1 - chance);
}

/// The same without a label: over all nodes with a neighbour, how often the class that most neighbours are predicted to
/// be (of equals the lower) is the node's own predicted class, over chance.
template <graph_index I>
double vote_agreement(const csr_graph<I>& graph, std::span<const std::size_t> predicted, std::size_t classes) {
  std::vector<double> own(classes), votes(classes), seen(classes);
  double agreed = 0, count = 0;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    const auto neighbors = graph.neighbors(v);
    if (neighbors.empty()) {
      continue;
    }
    std::ranges::fill(seen, 0.0);
    for (const I u : neighbors) {
      seen[predicted[static_cast<std::size_t>(u)]] += 1;
    }
    const auto vote = static_cast<std::size_t>(std::ranges::max_element(seen) - seen.begin());
    agreed += vote == predicted[v] ? 1 : 0;
    own[predicted[v]] += 1;
    votes[vote] += 1;
    count += 1;
  }
  const double chance = count == 0 ? 1 : std::inner_product(own.begin(), own.end(), votes.begin(), 0.0) / count / count;
  return chance >= 1 ? 0.0 : (agreed / count - chance) / (1 - chance);
}

/// Share of the more confident half of the nodes (by their largest probability; of equals the lower ids) whose class
/// other probabilities change.
template <class T>
double confident_changes(matrix_view<const T> probabilities, matrix_view<const T> others) {
  const auto before = largest_columns(probabilities), after = largest_columns(others);
  std::vector<std::size_t> order(probabilities.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t v) { return probabilities(v, before[v]); });
  order.resize((order.size() + 1) / 2);
  const auto changed = std::ranges::count_if(order, [&](std::size_t v) { return before[v] != after[v]; });
  return order.empty() ? 0.0 : static_cast<double>(changed) / static_cast<double>(order.size());
}

}  // namespace graphpatcher
