// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "io/edge_list.hpp"
#include "io/large_array.hpp"

namespace graphpatcher {

namespace detail {

/// What a pass over an edge list leaves of each piece: enough to see whether the
/// next pass found the same edges.
struct edge_tally {
  std::uint64_t edges = 0;
  std::uint64_t entries = 0;  ///< that the graph stores for them
  std::uint64_t mix = 0;      ///< a hash of the edges in their order

  friend bool operator==(const edge_tally&, const edge_tally&) = default;
};

/// Calls visit(row, neighbor) for each entry that the graph stores for an edge.
template <class Visit>
void visit_entries(const listed_edge& edge, const build_options& options, const Visit& visit) {
  if (edge.source != edge.target || options.loops == self_loops::keep) {
    visit(edge.target, edge.source);
  }
  if (edge.source != edge.target && options.direction == edge_direction::undirected) {
    visit(edge.source, edge.target);
  }
}

/// One pass over the list: work(lane, edges), which returns how many entries
/// they make, for some edges after another.
template <class Work>
std::vector<edge_tally> tally_edges(const edge_list& list, std::size_t nodes, std::size_t lanes, const Work& work) {
  const auto tally_some = [&](edge_tally& tally, std::size_t lane, std::span<const listed_edge> edges) {
    for (const auto& [source, target] : edges) {
      tally.mix = (tally.mix ^ (source * 0x9E3779B97F4A7C15u + target)) * 0xD6E8FEB86659FD93u;
    }
    tally.edges += edges.size();
    tally.entries += work(lane, edges);
  };
  return list.map_edges<edge_tally>(nodes, lanes, tally_some);
}

/// How many parts of an edge list are read at once. Each counts entries in an
/// array of its own, which spares atomic operations; together these are to stay
/// small beside the graph, whose size is guessed from that of the text.
inline std::size_t graph_lanes(const edge_list& edges, std::size_t nodes) {
  return 2 + edges.size() / (40 * nodes);
}

/// Sorts a row. Most are short, and of a short one each entry is compared with all others: how many come before it is
/// its place. That is more comparisons than needed, but many are made at once and none is a branch that the processor
/// could guess wrong. Vectors of 16 bytes are those that every processor has: this is compiled for all.
template <graph_index I>
void sort_row(std::span<I> row) {
  constexpr std::size_t most = 32;
  constexpr std::size_t lanes = 16 / sizeof(I);
  constexpr std::size_t vectors = 2;  // at once
  typedef I vector __attribute__((vector_size(16)));
  const std::size_t size = row.size();
  if (size > most) {
    std::sort(row.begin(), row.end());
    return;
  }
  std::array<I, most> entries{};
  std::array<I, most> places{};
  std::copy(row.begin(), row.end(), entries.begin());
  for (std::size_t begin = 0; begin < size; begin += vectors * lanes) {
    vector mine[vectors];
    vector index[vectors];
    vector place[vectors] = {};
    for (std::size_t v = 0; v < vectors; ++v) {
      std::memcpy(&mine[v], &entries[begin + v * lanes], sizeof(vector));
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        index[v][lane] = static_cast<I>(begin + v * lanes + lane);
      }
    }
    for (std::size_t e = 0; e < size; ++e) {  // what is true is -1: of equals, the elder comes first
      for (std::size_t v = 0; v < vectors; ++v) {
        place[v] -= entries[e] < mine[v] - (static_cast<I>(e) < index[v]);
      }
    }
    for (std::size_t v = 0; v < vectors; ++v) {
      std::memcpy(&places[begin + v * lanes], &place[v], sizeof(vector));
    }
  }
  for (std::size_t e = 0; e < size; ++e) {
    row[static_cast<std::size_t>(places[e])] = entries[e];
  }
}

/// Moves the rows of a graph together: row v is [offsets[v], ends[v]) and has room up to offsets[v + 1]. Returns how
/// many entries there are.
template <graph_index I>
I close_gaps(std::vector<I>& offsets, std::span<const I> ends, std::vector<I>& neighbors) {
  I stored = 0;  // up to here all is in place
  I run = 0;     // what begins here follows without a gap, and is moved at once
  for (std::size_t v = 0; v < ends.size(); ++v) {
    const I room = offsets[v + 1];
    if (ends[v] != room || v + 1 == ends.size()) {
      if (stored != run) {
        std::copy(neighbors.begin() + run, neighbors.begin() + ends[v], neighbors.begin() + stored);
      }
      stored += ends[v] - run;
      run = room;
      offsets[v + 1] = stored;
    } else {
      offsets[v + 1] = stored + (room - run);
    }
  }
  return stored;
}

}  // namespace detail

/// What became of the lines of an edge list.
struct edge_counts {
  std::uint64_t edges = 0;     ///< that the graph has, loops among them if they are kept
  std::uint64_t repeated = 0;  ///< listed again, in the other direction too if the graph is undirected
  std::uint64_t loops = 0;     ///< left out
};

namespace detail {

/// From the rows of the graph, the number of edges that were listed, and the number of entries they made before those
/// of a row were merged. In an undirected graph an edge has two entries, a loop one. `mirrored`: the list has named
/// every edge of two nodes in both directions of its own accord.
template <graph_index I>
edge_counts count_edges(std::span<const I> offsets, std::span<const I> neighbors, std::uint64_t listed,
                        std::uint64_t entries, bool mirrored, const build_options& options) {
  const bool undirected = options.direction == edge_direction::undirected;
  const bool keeps_loops = options.loops == self_loops::keep;
  const std::uint64_t of_two_nodes = !undirected ? entries : keeps_loops ? entries - listed : entries / 2;
  std::uint64_t loops = 0;
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
    const auto row =
        neighbors.subspan(static_cast<std::size_t>(offsets[v]), static_cast<std::size_t>(offsets[v + 1] - offsets[v]));
    loops += static_cast<std::uint64_t>(std::ranges::count(row, static_cast<I>(v)));
  }
  edge_counts found;
  found.edges = (neighbors.size() - loops) / (undirected ? 2 : 1) + loops;
  found.loops = keeps_loops ? 0 : listed - of_two_nodes;
  found.repeated = listed - found.loops - found.edges - (mirrored && undirected ? of_two_nodes / 2 : 0);
  return found;
}

}  // namespace detail

/// The graph of an edge list, without the list ever being in memory: one pass
/// over the text counts the entries of each row, a second one puts them in
/// place, and then each row is sorted. So the result is the same for any number
/// of threads.
///
/// The options are those of build_graph(), but for `reject`. `summary`, if it is given, is filled.
template <graph_index I>
csr_graph<I> read_graph(const edge_list& edges, std::size_t nodes, const build_options& options = {},
                        edge_counts* summary = nullptr) {
  expects(options.duplicates != duplicate_edges::reject && options.loops != self_loops::reject,
          "read_graph: expected duplicates and loops to be merged, removed or kept; rejecting them is for build_graph");
  expects(nodes > 0, "read_graph: expected at least 1 node, got 0");
  expects_index_fits<I>(nodes, "nodes");
  const cpu exec = edges.options().exec;
  const std::size_t lanes = std::min<std::size_t>(detail::graph_lanes(edges, nodes), exec.threads);

  // next[lane][row]: how many entries a lane has for a row; then where its next one goes.
  std::vector<std::vector<I>> next;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    next.push_back(detail::zeros<I>(exec, nodes));
  }
  const auto count = [&](std::size_t lane, std::span<const listed_edge> some) {
    I* const counts = next[lane].data();
    std::uint64_t found = 0;
    for (const auto& each : some) {
      detail::visit_entries(each, options, [&](std::size_t row, std::size_t) {
        ++counts[row];
        ++found;
      });
    }
    return found;
  };
  const auto counted = detail::tally_edges(edges, nodes, lanes, count);
  std::uint64_t entries = 0;
  std::uint64_t listed = 0;
  for (const auto& piece : counted) {
    entries += piece.entries;
    listed += piece.edges;
  }
  expects_index_fits<I>(entries, "entries (an undirected edge has two)");
  I start = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    for (auto& lane : next) {
      start += std::exchange(lane[v], start);
    }
  }

  auto neighbors = detail::zeros<I>(exec, entries);
  const auto changed = [&] { return file_error(edges.path(), "was changed while it was read; read it again"); };
  const auto fill = [&](std::size_t lane, std::span<const listed_edge> some) {
    I* const places = next[lane].data();
    std::array<std::pair<std::size_t, I>, 512> found;  // map_edges hands out at most 256 edges
    std::size_t stored = 0;
    for (const auto& each : some) {
      detail::visit_entries(each, options, [&](std::size_t row, std::size_t neighbor) {
        const auto place = static_cast<std::size_t>(places[row]++);
        if (place >= neighbors.size()) [[unlikely]] {
          throw changed();
        }
        __builtin_prefetch(&neighbors[place], 1);  // where it goes is far from the last one: ask for many at once
        found[stored++] = {place, static_cast<I>(neighbor)};
      });
    }
    for (std::size_t i = 0; i < stored; ++i) {
      neighbors[found[i].first] = found[i].second;
    }
    return std::uint64_t{stored};
  };
  if (detail::tally_edges(edges, nodes, lanes, fill) != counted) {
    throw changed();
  }

  // The last lane's next place in a row is by now where the row ends.
  auto ends = std::move(next.back());
  next.clear();
  std::vector<I> offsets(nodes + 1, 0);
  std::copy(ends.begin(), ends.end(), offsets.begin() + 1);
  parallel_for(exec, nodes, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto row = neighbors.begin() + offsets[v];
      const auto row_end = neighbors.begin() + offsets[v + 1];
      detail::sort_row(std::span<I>(row, row_end));
      if (options.duplicates == duplicate_edges::merge) {
        ends[v] = static_cast<I>(std::unique(row, row_end) - neighbors.begin());
      }
    }
  });
  neighbors.resize(static_cast<std::size_t>(detail::close_gaps<I>(offsets, ends, neighbors)));
  if (summary != nullptr) {
    *summary = detail::count_edges<I>(offsets, neighbors, listed, entries, edges.mirrors(), options);
  }
  return {std::move(offsets), std::move(neighbors),
          options.direction == edge_direction::undirected ? graph_rows::mirrored : graph_rows::any};
}

}  // namespace graphpatcher
