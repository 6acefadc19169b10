// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/message_graph.hpp"
#include "graphpatcher/graph/whole_graph.hpp"

namespace graphpatcher {

namespace detail {

/// The nodes within `hops` hops of the targets, hop by hop, each hop ascending;
/// `local` maps global to local ids, -1 elsewhere. Fills global_ids and within.
template <graph_index I>
void collect_hops(const message_graph<I>& whole, std::span<const I> targets, std::size_t hops, message_graph<I>& result,
                  std::vector<I>& local) {
  const auto close_hop = [&](std::size_t begin) {
    std::sort(result.global_ids.begin() + static_cast<std::ptrdiff_t>(begin), result.global_ids.end());
    for (std::size_t i = begin; i < result.nodes(); ++i) {
      local[static_cast<std::size_t>(result.global_ids[i])] = static_cast<I>(i);
    }
  };
  for (std::size_t i = 0; i < targets.size(); ++i) {
    expects<index_error>(targets[i] >= 0 && static_cast<std::size_t>(targets[i]) < whole.nodes(),
                         "neighborhood: target ", targets[i], ", expected an id in [0, ", whole.nodes(), ")");
    auto& slot = local[static_cast<std::size_t>(targets[i])];
    expects(slot < 0, "neighborhood: node ", targets[i], " is named twice as a target");
    slot = static_cast<I>(i);
    result.global_ids.push_back(targets[i]);
  }
  result.within = {static_cast<I>(targets.size())};
  std::size_t begin = 0;
  for (std::size_t h = 0; h < hops; ++h) {
    const std::size_t end = result.nodes();
    for (std::size_t i = begin; i < end; ++i) {
      const auto v = static_cast<std::size_t>(result.global_ids[i]);
      for (I e = whole.offsets[v]; e < whole.offsets[v + 1]; ++e) {
        const I source = whole.sources[static_cast<std::size_t>(e)];
        auto& slot = local[static_cast<std::size_t>(source)];
        if (slot < 0) {
          slot = 0;  // seen; numbered when the hop is closed
          result.global_ids.push_back(source);
        }
      }
    }
    close_hop(end);
    result.within.push_back(static_cast<I>(result.nodes()));
    begin = end;
  }
}

}  // namespace detail

/// What the answers of a model of `hops` layers at some nodes depend on: one
/// message graph of the nodes within `hops` hops of the targets, each node
/// once (an ego batch has a graph of its own for every target). Degrees are
/// those of the whole graph, so answers at the targets are the whole graph's,
/// bit for bit; nodes at the rim receive only from nodes that are here.
template <graph_index I>
message_graph<I> neighborhood(const csr_graph<I>& graph, std::span<const I> targets, std::size_t hops) {
  expects(!targets.empty(), "neighborhood: expected at least 1 target, got none");
  const auto whole = whole_graph(graph);
  message_graph<I> result;
  std::vector<I> local(whole.nodes(), I(-1));
  detail::collect_hops(whole, targets, hops, result, local);
  result.offsets.push_back(0);
  for (const I id : result.global_ids) {
    const auto v = static_cast<std::size_t>(id);
    for (I e = whole.offsets[v]; e < whole.offsets[v + 1]; ++e) {
      const I source = local[static_cast<std::size_t>(whole.sources[static_cast<std::size_t>(e)])];
      if (source >= 0) {
        result.sources.push_back(source);
      }
    }
    result.offsets.push_back(static_cast<I>(result.sources.size()));
    result.in_degree.push_back(whole.in_degree[v]);
    result.out_degree.push_back(whole.out_degree[v]);
  }
  return result;
}

}  // namespace graphpatcher
