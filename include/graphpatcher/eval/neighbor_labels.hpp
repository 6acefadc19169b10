// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/eval/metrics.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// What the neighbours of some nodes are, by their labels: means over the nodes that have a neighbour with a label.
struct neighbor_labels {
  double homophily = undefined_metric;  ///< share of neighbours of the node's own class
  double diversity = undefined_metric;  ///< entropy of the neighbours' classes over its largest value, log(classes)
};

/// Over nodes with labels; neighbours without one are left out.
template <graph_index I>
neighbor_labels describe_neighbors(const csr_graph<I>& graph, std::span<const I> labels, std::span<const I> nodes,
                                   std::size_t classes) {
  double homophily = 0, diversity = 0, count = 0;
  std::vector<double> seen(classes);
  for (const I node : nodes) {
    const auto v = static_cast<std::size_t>(node);
    seen.assign(classes, 0);
    double known = 0;
    for (const I u : graph.neighbors(v)) {
      if (const I label = labels[static_cast<std::size_t>(u)]; label >= 0) {
        seen[static_cast<std::size_t>(label)] += 1;
        known += 1;
      }
    }
    if (known == 0 || labels[v] < 0) {
      continue;
    }
    double entropy = 0;
    for (const double times : seen) {
      entropy -= times > 0 ? times / known * std::log(times / known) : 0;
    }
    homophily += seen[static_cast<std::size_t>(labels[v])] / known;
    diversity += classes > 1 ? entropy / std::log(static_cast<double>(classes)) : 0;
    count += 1;
  }
  return count == 0 ? neighbor_labels{} : neighbor_labels{homophily / count, diversity / count};
}

}  // namespace graphpatcher
