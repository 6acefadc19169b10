// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

/// Graphs with fewer edges, which some methods train on. An edge's fate is keyed
/// by the stream and its two nodes, so it is the same however often and in which
/// order it is asked for. Self-loops belong to message graphs and are never drawn.
namespace graphpatcher {

/// What is drawn: each stored entry, or both directions of an edge together.
enum class edge_pairs { independent, joint };

/// The graph with the entries (receiver, sender) for which `keep` says so.
template <graph_index I, class Keep>
csr_graph<I> filter_edges(const csr_graph<I>& graph, Keep&& keep) {
  std::vector<I> offsets{0}, neighbors;
  offsets.reserve(graph.nodes() + 1);
  neighbors.reserve(graph.entries());
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    std::ranges::copy_if(graph.neighbors(v), std::back_inserter(neighbors),
                         [&](I u) { return keep(static_cast<I>(v), u); });
    offsets.push_back(static_cast<I>(neighbors.size()));
  }
  return {std::move(offsets), std::move(neighbors)};
}

namespace detail {

/// What names the entry (v, u) in random draws; joint: the edge between them.
template <graph_index I>
std::array<std::uint64_t, 2> edge_key(I v, I u, edge_pairs pairs) {
  return pairs == edge_pairs::joint && u < v ? std::array{static_cast<std::uint64_t>(u), static_cast<std::uint64_t>(v)}
                                             : std::array{static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(u)};
}

}  // namespace detail

/// Drops each edge with probability `share`, both directions together: the
/// number that goes is random.
template <graph_index I>
csr_graph<I> drop_edges(const csr_graph<I>& graph, double share, const random_stream& stream) {
  expects(share >= 0 && share <= 1, "drop_edges: expected a share in [0, 1], got ", share);
  const std::uint64_t threshold = probability_threshold(share);
  return filter_edges(graph, [&](I v, I u) {
    const auto [a, b] = detail::edge_key(v, u, edge_pairs::joint);
    return stream.bits(a, b)[0] >= threshold;
  });
}

/// Keeps floor(share * number) of the entries, or of the edges with
/// edge_pairs::joint, each choice equally likely: those with the smallest draws.
/// An edge that is stored more than once is kept or dropped as one.
template <graph_index I>
csr_graph<I> keep_edges(const csr_graph<I>& graph, double share, edge_pairs pairs, const random_stream& stream) {
  expects(share >= 0 && share <= 1, "keep_edges: expected a share in [0, 1], got ", share);
  using draw = std::array<std::uint64_t, 3>;  // 64 random bits, then the key: no two are equal
  const auto draw_of = [&](I v, I u) {
    const auto [a, b] = detail::edge_key(v, u, pairs);
    const auto bits = stream.bits(a, b);
    return draw{(std::uint64_t{bits[0]} << 32) | bits[1], a, b};
  };
  std::vector<draw> draws;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    const I self = static_cast<I>(v);
    I before = I(-1);
    for (const I u : graph.neighbors(v)) {
      if (std::exchange(before, u) != u && (pairs == edge_pairs::independent || self <= u)) {
        draws.push_back(draw_of(self, u));
      }
    }
  }
  const auto kept = static_cast<std::size_t>(share * static_cast<double>(draws.size()));
  if (kept == draws.size()) {
    return graph;
  }
  const auto first_dropped = draws.begin() + static_cast<std::ptrdiff_t>(kept);
  std::ranges::nth_element(draws, first_dropped);
  const draw limit = *first_dropped;
  return filter_edges(graph, [&](I v, I u) { return draw_of(v, u) < limit; });
}

}  // namespace graphpatcher
