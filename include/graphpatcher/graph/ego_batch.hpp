// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/position_map.hpp"

namespace graphpatcher {

/// k-hop ego-graphs of many anchors, side by side: node ids and edges only,
/// features stay where they are. Node 0 of each ego-graph is its anchor, then
/// come the nodes at 1 hop, 2 hops, ..., each hop ascending by global id.
/// Loops are not stored; message graphs add them.
template <graph_index I>
struct ego_batch {
  std::size_t hops = 0;
  std::vector<I> anchors;  ///< global ids
  std::vector<I>
      hop_offsets;       ///< anchors * (hops + 1) + 1: hop h of ego b is nodes[hop_offsets[b * (hops + 1) + h] ..]
  std::vector<I> nodes;  ///< global ids
  std::vector<I> edge_offsets;  ///< nodes + 1
  std::vector<I> edge_sources;  ///< position inside the same ego-graph; rows ascending by global id
  std::vector<I> in_degree;     ///< of each node in the whole graph, no loop
  std::vector<I> out_degree;

  std::size_t size() const noexcept { return anchors.size(); }
  /// First position in `nodes` of hop h of ego b; h = hops + 1 is its end.
  std::size_t hop_begin(std::size_t ego, std::size_t hop) const noexcept {
    return static_cast<std::size_t>(hop_offsets[ego * (hops + 1) + hop]);
  }
  std::size_t begin(std::size_t ego) const noexcept { return hop_begin(ego, 0); }
  std::size_t end(std::size_t ego) const noexcept { return hop_begin(ego + 1, 0); }
  /// The anchor's neighbours, ascending: what corruption may drop.
  std::span<const I> neighbors(std::size_t ego) const noexcept {
    const std::size_t first = hop_begin(ego, 1);
    return std::span<const I>(nodes).subspan(first, hop_begin(ego, 2) - first);
  }
  /// Sources of a node, given by its position in `nodes`.
  std::span<const I> sources(std::size_t node) const noexcept {
    const auto first = static_cast<std::size_t>(edge_offsets[node]);
    return std::span<const I>(edge_sources).subspan(first, static_cast<std::size_t>(edge_offsets[node + 1]) - first);
  }
};

struct ego_options {
  std::size_t hops = 2;  ///< number of message-passing layers of the model that will read it
};

namespace detail {

/// The ego-graphs of a run of anchors, before they are joined into a batch.
template <graph_index I>
struct ego_piece {
  std::vector<I> hop_sizes;  // (hops + 1) an anchor
  std::vector<I> nodes;
  std::vector<I> row_sizes;
  std::vector<I> sources;
};

/// Appends the ego-graph of one anchor. Breadth first: hop h + 1 is what sends
/// to hop h and has not been seen.
template <graph_index I>
void append_ego(const csr_graph<I>& graph, I anchor, std::size_t hops, position_map<I>& positions,
                ego_piece<I>& piece) {
  positions.clear();
  const std::size_t start = piece.nodes.size();
  positions.insert(anchor, 0);
  piece.nodes.push_back(anchor);
  piece.hop_sizes.push_back(1);
  std::size_t hop_start = start;
  for (std::size_t hop = 1; hop <= hops; ++hop) {
    const std::size_t hop_end = piece.nodes.size();
    for (std::size_t n = hop_start; n < hop_end; ++n) {
      for (const I neighbor : graph.neighbors(static_cast<std::size_t>(piece.nodes[n]))) {
        if (positions.insert(neighbor, 0)) {
          piece.nodes.push_back(neighbor);
        }
      }
    }
    std::sort(piece.nodes.begin() + static_cast<std::ptrdiff_t>(hop_end), piece.nodes.end());
    for (std::size_t n = hop_end; n < piece.nodes.size(); ++n) {
      positions.move(piece.nodes[n], static_cast<I>(n - start));
    }
    piece.hop_sizes.push_back(static_cast<I>(piece.nodes.size() - hop_end));
    hop_start = hop_end;
  }
  for (std::size_t n = start; n < piece.nodes.size(); ++n) {
    const std::size_t before = piece.sources.size();
    for (const I neighbor : graph.neighbors(static_cast<std::size_t>(piece.nodes[n]))) {
      const I position = neighbor == piece.nodes[n] ? I(-1) : positions.find(neighbor);
      if (position >= 0) {
        piece.sources.push_back(position);
      }
    }
    piece.row_sizes.push_back(static_cast<I>(piece.sources.size() - before));
  }
}

/// Joins pieces by counting, then copying: offsets are running sums.
template <graph_index I>
void join_pieces(const csr_graph<I>& graph, const std::vector<ego_piece<I>>& pieces, ego_batch<I>& batch) {
  std::size_t nodes = 0;
  std::size_t edges = 0;
  for (const auto& piece : pieces) {
    nodes += piece.nodes.size();
    edges += piece.sources.size();
  }
  expects_index_fits<I>(std::max(nodes, edges), "nodes or edges of an ego batch");
  batch.hop_offsets.reserve(checked_product<I>("ego batch", batch.anchors.size(), batch.hops + 1) + 1);
  batch.nodes.reserve(nodes);
  batch.edge_offsets.reserve(nodes + 1);
  batch.edge_sources.reserve(edges);
  batch.hop_offsets.push_back(0);
  batch.edge_offsets.push_back(0);
  for (const auto& piece : pieces) {
    for (const I size : piece.hop_sizes) {
      batch.hop_offsets.push_back(batch.hop_offsets.back() + size);
    }
    for (const I size : piece.row_sizes) {
      batch.edge_offsets.push_back(batch.edge_offsets.back() + size);
    }
    batch.nodes.insert(batch.nodes.end(), piece.nodes.begin(), piece.nodes.end());
    batch.edge_sources.insert(batch.edge_sources.end(), piece.sources.begin(), piece.sources.end());
  }
  batch.in_degree.reserve(nodes);
  batch.out_degree.reserve(nodes);
  for (const I node : batch.nodes) {
    const auto row = graph.neighbors(static_cast<std::size_t>(node));
    const auto loops = std::equal_range(row.begin(), row.end(), node);
    const auto loop_count = static_cast<I>(loops.second - loops.first);
    batch.in_degree.push_back(static_cast<I>(row.size()) - loop_count);
    batch.out_degree.push_back(static_cast<I>(graph.out_degree(static_cast<std::size_t>(node))) - loop_count);
  }
}

}  // namespace detail

/// Throws unless every anchor is one of `nodes` nodes and none is named twice.
template <graph_index I>
void check_anchors(std::size_t nodes, std::span<const I> anchors) {
  expects(!anchors.empty(), "anchors: expected at least one node, got none");
  expects(anchors.size() <= nodes, "anchors: expected at most ", nodes,
          " different nodes, as many as the graph has, got ", anchors.size());
  position_map<I> seen;
  for (std::size_t b = 0; b < anchors.size(); ++b) {
    expects<index_error>(anchors[b] >= 0 && static_cast<std::size_t>(anchors[b]) < nodes, "anchors: node ", anchors[b],
                         " at position ", b, ", expected an id in [0, ", nodes, ")");
    expects(seen.insert(anchors[b], static_cast<I>(b)), "anchors: node ", anchors[b], " at positions ",
            seen.find(anchors[b]), " and ", b, "; name each anchor once");
  }
}
template <graph_index I>
void check_anchors(const csr_graph<I>& graph, std::type_identity_t<std::span<const I>> anchors) {
  check_anchors<I>(graph.nodes(), anchors);
}

/// The ego-graphs of `anchors`, in their order. Cost and memory grow with the
/// ego-graphs, not with the graph.
template <graph_index I>
ego_batch<I> make_ego_batch(const cpu& exec, const csr_graph<I>& graph,
                            std::type_identity_t<std::span<const I>> anchors, ego_options options = {}) {
  expects_hops(options.hops, 1, "ego batch");
  check_anchors(graph, anchors);
  ego_batch<I> batch;
  batch.hops = options.hops;
  batch.anchors.assign(anchors.begin(), anchors.end());
  constexpr std::size_t anchors_a_piece = 16;
  std::vector<detail::ego_piece<I>> pieces((anchors.size() + anchors_a_piece - 1) / anchors_a_piece);
  parallel_for(exec, pieces.size(), 1, [&](std::size_t first, std::size_t last) {
    position_map<I> positions;
    for (std::size_t p = first; p < last; ++p) {
      const std::size_t stop = std::min((p + 1) * anchors_a_piece, anchors.size());
      for (std::size_t b = p * anchors_a_piece; b < stop; ++b) {
        detail::append_ego(graph, anchors[b], options.hops, positions, pieces[p]);
      }
    }
  });
  detail::join_pieces(graph, pieces, batch);
  return batch;
}

#if GP_HAS_INSTANCES
GP_EXTERN template void check_anchors(std::size_t, std::span<const std::int32_t>);
GP_EXTERN template ego_batch<std::int32_t> make_ego_batch(const cpu&, const csr_graph<std::int32_t>&,
                                                          std::span<const std::int32_t>, ego_options);
GP_EXTERN template void check_anchors(std::size_t, std::span<const std::int64_t>);
GP_EXTERN template ego_batch<std::int64_t> make_ego_batch(const cpu&, const csr_graph<std::int64_t>&,
                                                          std::span<const std::int64_t>, ego_options);
#endif

}  // namespace graphpatcher
