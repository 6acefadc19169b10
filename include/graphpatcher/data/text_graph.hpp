// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/data/edge_list.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

namespace detail {

/// What a pass over an edge list leaves of each piece: enough to see whether the
/// next pass found the same edges.
struct edge_tally {
  std::uint64_t entries = 0;
  std::uint64_t mix = 0;  ///< a hash of the edges in their order

  friend bool operator==(const edge_tally&, const edge_tally&) = default;
};

/// A place in the graph: `neighbor` stands in row `row`.
struct graph_entry {
  std::size_t row;
  std::size_t neighbor;
};

/// One pass over the list: store(lane, entries) for those that some edges make.
/// `fetch(lane, row)` is called for each of them some time before.
template <class Fetch, class Store>
std::vector<edge_tally> tally_edges(const edge_list& list, std::size_t nodes, std::size_t lanes,
                                    const build_options& options, const Fetch& fetch, const Store& store) {
  const bool both_ways = options.direction == edge_direction::undirected;
  const auto tally_some = [&](edge_tally& tally, std::size_t lane, std::span<const listed_edge> edges) {
    std::array<graph_entry, 512> entries;  // map_edges hands out at most 256
    std::size_t count = 0;
    for (const auto& [source, target] : edges) {
      tally.mix = (tally.mix ^ (source * 0x9E3779B97F4A7C15u + target)) * 0xD6E8FEB86659FD93u;
      if (source != target || options.loops == self_loops::keep) {
        fetch(lane, target);
        entries[count++] = {target, source};
      }
      if (both_ways && source != target) {
        fetch(lane, source);
        entries[count++] = {source, target};
      }
    }
    tally.entries += count;
    store(lane, std::span<graph_entry>(entries.data(), count));
  };
  return list.map_edges<edge_tally>(nodes, lanes, tally_some);
}

/// How many parts of an edge list are read at once. Each counts entries in an
/// array of its own, which spares atomic operations; together these are to stay
/// small beside the graph, whose size is guessed from that of the text.
inline std::size_t graph_lanes(const edge_list& edges, std::size_t nodes) {
  return 2 + edges.size() / (40 * nodes);
}

/// Leaves out what a sorted row names again; returns where the row now ends.
template <graph_index I>
std::size_t merge_row(std::vector<I>& neighbors, std::size_t begin, std::size_t end, std::size_t out, bool keep) {
  const std::size_t row = out;
  for (std::size_t e = begin; e < end; ++e) {
    if (keep || out == row || neighbors[out - 1] != neighbors[e]) {
      neighbors[out++] = neighbors[e];
    }
  }
  return out;
}

}  // namespace detail

/// The graph of an edge list, without the list ever being in memory: one pass
/// over the text counts the entries of each row, a second one puts them in
/// place, and then each row is sorted. So the result is the same for any number
/// of threads.
///
/// The options are those of build_graph(), but for `reject`.
template <graph_index I>
csr_graph<I> read_graph(const edge_list& edges, std::size_t nodes, const build_options& options = {}) {
  expects(options.duplicates != duplicate_edges::reject && options.loops != self_loops::reject,
          "read_graph: expected duplicates and loops to be merged, removed or kept; rejecting them is for build_graph");
  expects(nodes > 0, "read_graph: expected at least 1 node, got 0");
  detail::expects_index_fits<I>(nodes, "nodes");
  const cpu exec = edges.options().exec;
  const std::size_t lanes = std::min<std::size_t>(detail::graph_lanes(edges, nodes), exec.threads);

  // next[lane][row]: how many entries a lane has for a row; then where its next one goes.
  std::vector<std::vector<I>> next(lanes, std::vector<I>(nodes, 0));
  const auto fetch = [&](std::size_t lane, std::size_t row) { __builtin_prefetch(&next[lane][row], 1); };
  const auto count = [&](std::size_t lane, std::span<const detail::graph_entry> found) {
    for (const auto& entry : found) {
      ++next[lane][entry.row];
    }
  };
  const auto counted = detail::tally_edges(edges, nodes, lanes, options, fetch, count);
  std::uint64_t entries = 0;
  for (const auto& piece : counted) {
    entries += piece.entries;
  }
  detail::expects_index_fits<I>(entries, "entries (an undirected edge has two)");
  I start = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    for (auto& lane : next) {
      start += std::exchange(lane[v], start);
    }
  }

  std::vector<I> neighbors(entries);
  const auto changed = [&] { return file_error(edges.path(), "was changed while it was read; read it again"); };
  const auto fill = [&](std::size_t lane, std::span<detail::graph_entry> found) {
    for (auto& entry : found) {
      entry.row = static_cast<std::size_t>(next[lane][entry.row]++);
      if (entry.row >= neighbors.size()) [[unlikely]] {
        throw changed();
      }
      __builtin_prefetch(&neighbors[entry.row], 1);
    }
    for (const auto& [place, neighbor] : found) {
      neighbors[place] = static_cast<I>(neighbor);
    }
  };
  if (detail::tally_edges(edges, nodes, lanes, options, fetch, fill) != counted) {
    throw changed();
  }

  // The last lane's next place in a row is by now where the row ends.
  std::vector<I> offsets(nodes + 1, 0);
  std::copy(next.back().begin(), next.back().end(), offsets.begin() + 1);
  next.clear();
  parallel_for(exec, nodes, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      std::sort(neighbors.begin() + offsets[v], neighbors.begin() + offsets[v + 1]);
    }
  });
  std::size_t stored = 0;
  std::size_t row = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    const auto end = static_cast<std::size_t>(offsets[v + 1]);
    stored = detail::merge_row(neighbors, row, end, stored, options.duplicates == duplicate_edges::keep);
    offsets[v + 1] = static_cast<I>(stored);
    row = end;
  }
  neighbors.resize(stored);
  return {std::move(offsets), std::move(neighbors)};
}

}  // namespace graphpatcher
