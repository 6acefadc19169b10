// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// A message path: `source` sends to `target`.
template <graph_index I>
struct edge {
  I source;
  I target;

  friend bool operator==(const edge&, const edge&) = default;
};

/// How an edge list is read.
enum class edge_direction {
  undirected,  ///< each edge is stored both ways; u-v and v-u are the same edge
  directed,    ///< source stands in the row of target, and nothing else
};

/// What becomes of an edge that the list names again.
enum class duplicate_edges {
  merge,   ///< stored once
  keep,    ///< stored as often as it is named: a multigraph
  reject,  ///< argument_error
};

/// What becomes of an edge from a node to itself. Message graphs add one loop a
/// node of their own and leave out those of the data, so most data has none.
enum class self_loops {
  remove,  ///< left out
  keep,    ///< stored (once, also in an undirected graph)
  reject,  ///< argument_error
};

/// Each default is what the datasets of the paper need: an undirected simple
/// graph, whatever the order, the repetitions and the loops of its edge list.
struct build_options {
  edge_direction direction = edge_direction::undirected;
  duplicate_edges duplicates = duplicate_edges::merge;
  self_loops loops = self_loops::remove;
};

namespace detail {

/// Calls `visit(source, target)` for every entry the graph is to store.
template <graph_index I, class Visit>
void for_each_entry(std::span<const edge<I>> edges, const build_options& options, Visit&& visit) {
  const bool both_ways = options.direction == edge_direction::undirected;
  for (const auto& [source, target] : edges) {
    if (source == target) {
      if (options.loops == self_loops::keep) {
        visit(static_cast<std::size_t>(source), static_cast<std::size_t>(target));
      }
      continue;
    }
    visit(static_cast<std::size_t>(source), static_cast<std::size_t>(target));
    if (both_ways) {
      visit(static_cast<std::size_t>(target), static_cast<std::size_t>(source));
    }
  }
}

template <graph_index I>
void check_edges(std::size_t nodes, std::span<const edge<I>> edges, const build_options& options) {
  const auto inside = [nodes](I id) { return id >= 0 && static_cast<std::size_t>(id) < nodes; };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [source, target] = edges[e];
    expects<index_error>(inside(source) && inside(target), "build_graph: edge ", e, " is ", source, " -> ", target,
                         ", expected ids in [0, ", nodes, ")");
    expects<argument_error>(source != target || options.loops != self_loops::reject, "build_graph: edge ", e,
                            " joins node ", source, " to itself; use self_loops::remove to leave such edges out");
  }
}

/// counts[v + 1] = number of v's items on entry, where v's items end on return;
/// so counts[v] is where they start.
inline void accumulate_counts(std::vector<std::size_t>& counts) {
  for (std::size_t v = 1; v < counts.size(); ++v) {
    counts[v] += counts[v - 1];
  }
}

}  // namespace detail

/// Makes a graph of `nodes` nodes from a list of edges in any order, in
/// O(nodes + edges): a counting sort by source, then a stable one by target,
/// leaves every row ascending without a comparison.
///
/// No edges is a graph; no nodes is an error, since nothing can be predicted.
/// Throws index_error for an id out of range (naming the edge), overflow_error
/// for more nodes or stored entries than I can count, and argument_error for
/// what `options` rejects.
template <graph_index I>
csr_graph<I> build_graph(std::size_t nodes, std::span<const edge<I>> edges, build_options options = {}) {
  expects<argument_error>(nodes > 0, "build_graph: expected at least 1 node, got 0; is the input empty?");
  expects_index_fits<I>(nodes, "nodes");
  detail::check_edges(nodes, edges, options);

  const std::size_t ends = checked_product<std::size_t>("build_graph: nodes", nodes + 1);
  std::vector<std::size_t> by_source(ends, 0);
  std::vector<std::size_t> by_target(ends, 0);
  detail::for_each_entry(edges, options, [&](std::size_t source, std::size_t target) {
    ++by_source[source + 1];
    ++by_target[target + 1];
  });
  detail::accumulate_counts(by_source);
  detail::accumulate_counts(by_target);
  const std::size_t named = by_target.back();

  std::vector<I> targets(named);
  {
    std::vector<std::size_t> next(by_source.begin(), by_source.end() - 1);
    detail::for_each_entry(edges, options, [&](std::size_t source, std::size_t target) {
      targets[next[source]++] = static_cast<I>(target);
    });
  }
  std::vector<I> neighbors(named);
  {
    std::vector<std::size_t> next(by_target.begin(), by_target.end() - 1);
    for (std::size_t source = 0; source < nodes; ++source) {
      for (std::size_t e = by_source[source]; e < by_source[source + 1]; ++e) {
        neighbors[next[static_cast<std::size_t>(targets[e])]++] = static_cast<I>(source);
      }
    }
  }

  std::vector<I> offsets(nodes + 1, 0);
  std::size_t stored = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    const std::size_t row = stored;
    for (std::size_t e = by_target[v]; e < by_target[v + 1]; ++e) {
      const bool again = stored > row && neighbors[stored - 1] == neighbors[e];
      expects<argument_error>(!again || options.duplicates != duplicate_edges::reject, "build_graph: the edge ",
                              neighbors[e], " -> ", v, " is named twice",
                              options.direction == edge_direction::undirected ? " (undirected: u-v is also v-u)" : "",
                              "; use duplicate_edges::merge to store it once");
      if (!again || options.duplicates == duplicate_edges::keep) {
        neighbors[stored++] = neighbors[e];
      }
    }
    expects_index_fits<I>(stored, "entries (an undirected edge has two)");
    offsets[v + 1] = static_cast<I>(stored);
  }
  neighbors.resize(stored);
  return {std::move(offsets), std::move(neighbors)};
}

template <graph_index I>
csr_graph<I> build_graph(std::size_t nodes, const std::vector<edge<I>>& edges, build_options options = {}) {
  return build_graph<I>(nodes, std::span<const edge<I>>(edges), options);
}

#if GP_HAS_INSTANCES
GP_EXTERN template csr_graph<std::int32_t> build_graph(std::size_t, std::span<const edge<std::int32_t>>, build_options);
GP_EXTERN template csr_graph<std::int64_t> build_graph(std::size_t, std::span<const edge<std::int64_t>>, build_options);
#endif

}  // namespace graphpatcher
