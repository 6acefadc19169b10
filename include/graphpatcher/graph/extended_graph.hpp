// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/graph/whole_graph.hpp"

namespace graphpatcher {

/// A graph for answers of nodes that have more neighbours at test time. Targets are copies of the anchors, so that
/// nobody else sees what was added to one:
///
///   [ copies of the anchors | their duplicates, if any | every node, as in the whole graph ]
///
/// A copy receives from itself, from the neighbours of its node, from the nodes more(v) (one-way, whose own degrees
/// stay as they are), and from its duplicate, which has the node's features, a loop and an edge back.
template <graph_index I, class More>
message_graph<I> extended_graph(const csr_graph<I>& graph, std::span<const I> anchors, More&& more,
                                bool duplicates = false) {
  const auto whole = whole_graph(graph);
  const std::size_t copies = anchors.size(), shift = duplicates ? 2 * copies : copies;
  message_graph<I> result;
  result.offsets.push_back(0);
  const auto add_neighbors = [&](std::size_t v) {
    for (I e = whole.offsets[v] + 1; e < whole.offsets[v + 1]; ++e) {  // the loop comes first
      result.sources.push_back(static_cast<I>(shift) + whole.sources[static_cast<std::size_t>(e)]);
    }
  };
  const auto close_row = [&](I node, I out_degree) {
    expects_index_fits<I>(result.sources.size() + shift, "nodes or edges of an extended graph");
    const I end = static_cast<I>(result.sources.size());
    result.in_degree.push_back(end - result.offsets.back());
    result.offsets.push_back(end);
    result.out_degree.push_back(out_degree);
    result.global_ids.push_back(node);
  };
  for (std::size_t i = 0; i < copies; ++i) {
    const auto v = static_cast<std::size_t>(anchors[i]);
    expects<index_error>(anchors[i] >= 0 && v < graph.nodes(), "extended_graph: anchor ", anchors[i],
                         ", expected an id in [0, ", graph.nodes(), ")");
    result.sources.push_back(static_cast<I>(i));
    add_neighbors(v);
    for (const I u : more(v)) {
      result.sources.push_back(static_cast<I>(shift) + u);
    }
    if (duplicates) {
      result.sources.push_back(static_cast<I>(copies + i));
    }
    close_row(anchors[i], whole.out_degree[v] + (duplicates ? 1 : 0));
  }
  for (std::size_t i = 0; duplicates && i < copies; ++i) {
    result.sources.push_back(static_cast<I>(copies + i));
    result.sources.push_back(static_cast<I>(i));
    close_row(anchors[i], 2);
  }
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    result.sources.push_back(static_cast<I>(shift + v));
    add_neighbors(v);
    close_row(static_cast<I>(v), whole.out_degree[v]);
  }
  result.within = {static_cast<I>(copies), static_cast<I>(result.nodes())};
  return result;
}

}  // namespace graphpatcher
