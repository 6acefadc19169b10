// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/ego_batch.hpp"

namespace graphpatcher {

/// What the generic path has to compute: it builds the ego-graph of every anchor,
/// as many hops as the backbone sees.
struct ego_cost {
  std::size_t hops = 0;
  std::size_t anchors = 0;  ///< that were measured
  double nodes = 0;         ///< of an ego-graph, on average
  std::size_t graph = 0;    ///< nodes of the graph

  /// Nodes of a batch over nodes of the graph.
  double graphs(std::size_t batch) const { return static_cast<double>(batch) * nodes / static_cast<double>(graph); }
};

/// Measures at most 8 anchors, evenly spread over the list.
template <graph_index I>
ego_cost measure_ego_cost(const csr_graph<I>& graph, std::type_identity_t<std::span<const I>> anchors,
                          std::size_t hops) {
  constexpr std::size_t most = 8;
  std::vector<I> some;
  for (std::size_t i = 0; i < std::min(most, anchors.size()); ++i) {
    some.push_back(anchors[i * anchors.size() / std::min(most, anchors.size())]);
  }
  if (some.empty() || hops == 0) {
    return {hops, 0, 0, graph.nodes()};
  }
  const auto batch = make_ego_batch(cpu{1}, graph, some, {.hops = hops});
  return {hops, some.size(), static_cast<double>(batch.nodes.size()) / static_cast<double>(some.size()), graph.nodes()};
}

/// What to say about it, before `batch` ego-graphs at a time are built; empty
/// where they are no burden.
inline std::string warning_of(const ego_cost& cost, std::size_t batch) {
  constexpr double few_graphs = 4;
  constexpr double few_nodes = 10'000;
  if (cost.graphs(batch) <= few_graphs || static_cast<double>(batch) * cost.nodes <= few_nodes) {
    return {};
  }
  const auto whole = [](double x) { return static_cast<std::size_t>(x + 0.5); };
  return text("the backbone sees ", cost.hops, " hops, and an ego-graph has ", whole(cost.nodes), " of ", cost.graph,
              " nodes (mean of ", cost.anchors, " anchors): a batch of ", batch, " is as much work as the whole graph ",
              whole(cost.graphs(batch)), " times");
}

#if GP_HAS_INSTANCES
GP_EXTERN template ego_cost measure_ego_cost(const csr_graph<std::int32_t>&, std::span<const std::int32_t>,
                                             std::size_t);
GP_EXTERN template ego_cost measure_ego_cost(const csr_graph<std::int64_t>&, std::span<const std::int64_t>,
                                             std::size_t);
#endif

}  // namespace graphpatcher
