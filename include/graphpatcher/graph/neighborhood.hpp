// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/message_graph.hpp"
#include "graphpatcher/graph/position_map.hpp"

namespace graphpatcher {

namespace detail {

/// The nodes within `hops` hops of the targets, hop by hop, each hop ascending;
/// `local` maps global to local ids. Fills global_ids and within.
template <graph_index I>
void collect_hops(const csr_graph<I>& graph, std::span<const I> targets, std::size_t hops, message_graph<I>& result,
                  position_map<I>& local) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    expects<index_error>(targets[i] >= 0 && static_cast<std::size_t>(targets[i]) < graph.nodes(),
                         "neighborhood: target ", targets[i], ", expected an id in [0, ", graph.nodes(), ")");
    expects(local.insert(targets[i], static_cast<I>(i)), "neighborhood: node ", targets[i],
            " is named twice as a target");
    result.global_ids.push_back(targets[i]);
  }
  result.within = {static_cast<I>(targets.size())};
  std::size_t begin = 0;
  for (std::size_t h = 0; h < hops; ++h) {
    const std::size_t end = result.nodes();
    for (std::size_t i = begin; i < end; ++i) {
      for (const I source : graph.neighbors(static_cast<std::size_t>(result.global_ids[i]))) {
        if (local.insert(source, I(0))) {  // numbered when the hop is closed
          result.global_ids.push_back(source);
        }
      }
    }
    std::sort(result.global_ids.begin() + static_cast<std::ptrdiff_t>(end), result.global_ids.end());
    for (std::size_t i = end; i < result.nodes(); ++i) {
      local.move(result.global_ids[i], static_cast<I>(i));
    }
    expects_index_fits<I>(result.nodes(), "nodes of a neighbourhood");
    result.within.push_back(static_cast<I>(result.nodes()));
    begin = end;
  }
}

}  // namespace detail

/// What the answers of a model of `hops` layers at some nodes depend on: one
/// message graph of the nodes within `hops` hops of the targets, each node
/// once (an ego batch has a graph of its own for every target). Degrees are
/// those of the whole graph, so answers at the targets are the whole graph's,
/// bit for bit; nodes at the rim receive only from nodes that are here. Cost
/// grows with the neighbourhood, not with the graph.
template <graph_index I>
message_graph<I> neighborhood(const csr_graph<I>& graph, std::span<const I> targets, std::size_t hops) {
  expects(!targets.empty(), "neighborhood: expected at least 1 target, got none");
  expects_hops(hops, 0, "neighborhood");
  message_graph<I> result;
  position_map<I> local;
  detail::collect_hops(graph, targets, hops, result, local);
  result.offsets.push_back(0);
  for (std::size_t i = 0; i < result.nodes(); ++i) {
    const I id = result.global_ids[i];
    const auto row = graph.neighbors(static_cast<std::size_t>(id));
    const auto loops = std::equal_range(row.begin(), row.end(), id);
    const auto loop_count = static_cast<I>(loops.second - loops.first);
    result.sources.push_back(static_cast<I>(i));
    for (const I neighbor : row) {
      const I source = neighbor == id ? I(-1) : local.find(neighbor);
      if (source >= 0) {
        result.sources.push_back(source);
      }
    }
    expects_index_fits<I>(result.sources.size(), "edges of a neighbourhood");
    result.offsets.push_back(static_cast<I>(result.sources.size()));
    result.in_degree.push_back(static_cast<I>(row.size()) - loop_count + 1);
    result.out_degree.push_back(static_cast<I>(graph.out_degree(static_cast<std::size_t>(id))) - loop_count + 1);
  }
  return result;
}

}  // namespace graphpatcher
