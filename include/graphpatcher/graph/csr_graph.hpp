// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/level.hpp"

namespace graphpatcher {

/// Index types the library is instantiated with.
template <class I>
concept graph_index = std::same_as<I, std::int32_t> || std::same_as<I, std::int64_t>;

/// Throws unless `count` can be written as an I; `what` is counted.
template <graph_index I>
void expects_index_fits(std::uint64_t count, const char* what) {
  constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<I>::max());
  expects<overflow_error>(count <= limit, count, " ", what, " do not fit an index of ", 8 * sizeof(I),
                          " bits, which ends at ", limit, sizeof(I) < 8 ? "; use std::int64_t as index type" : "");
}

/// Throws unless `hops` is a number of layers that somebody may have meant: what is
/// made of hops has room for each of them.
inline void expects_hops(std::size_t hops, std::size_t least, const char* what) {
  constexpr std::size_t most = std::size_t{1} << 16;
  expects(hops >= least && hops <= most, what, ": expected from ", least, " to ", most, " hops, got ", hops,
          "; use the number of layers of the model");
}

/// What is known of the rows of a graph before it is made.
enum class graph_rows {
  any,
  mirrored,  ///< u stands in the row of v as often as v in that of u
};

namespace detail {

/// Whether ids are in range and rows ascend. Millions of them are checked in loops without a branch: falls are counted
/// over all rows as if they were one, and must be no more than there are between rows.
template <graph_index I>
bool rows_are_sound(std::span<const I> offsets, std::span<const I> neighbors) noexcept {
  const std::size_t nodes = offsets.size() - 1;
  std::size_t falls = 0;
  for (std::size_t i = 1; i < neighbors.size(); ++i) {
    falls += neighbors[i] < neighbors[i - 1];
  }
  for (std::size_t v = 1; v < nodes; ++v) {
    const auto i = static_cast<std::size_t>(offsets[v]);
    falls -= i > 0 && i < static_cast<std::size_t>(offsets[v + 1]) && neighbors[i] < neighbors[i - 1];
  }
  bool outside = false;
  for (const I neighbor : neighbors) {
    outside |= static_cast<std::size_t>(neighbor) >= nodes;  // a negative one is above any count
  }
  return falls == 0 && !outside;
}

/// Throws about the first fault of the rows of a graph; there is at least one offset.
template <graph_index I>
void check_rows(std::span<const I> offsets, std::span<const I> neighbors) {
  const std::size_t nodes = offsets.size() - 1;
  expects<shape_error>(offsets.front() == 0 && static_cast<std::size_t>(offsets.back()) == neighbors.size(),
                       "csr_graph: expected offsets from 0 to the number of entries, ", neighbors.size());
  for (std::size_t v = 0; v < nodes; ++v) {
    expects<shape_error>(offsets[v] <= offsets[v + 1] && offsets[v + 1] <= offsets.back(),
                         "csr_graph: offsets fall at node ", v);
  }
  if (rows_are_sound(offsets, neighbors)) {
    return;
  }
  for (std::size_t v = 0; v < nodes; ++v) {
    I previous = 0;
    for (auto i = static_cast<std::size_t>(offsets[v]); i < static_cast<std::size_t>(offsets[v + 1]); ++i) {
      const I neighbor = neighbors[i];
      expects<index_error>(neighbor >= 0 && static_cast<std::size_t>(neighbor) < nodes, "csr_graph: node ", v,
                           " has neighbour ", neighbor, ", expected an id in [0, ", nodes, ")");
      expects<index_error>(neighbor >= previous, "csr_graph: expected ascending neighbours, got ", neighbor, " after ",
                           previous, " at node ", v);
      previous = neighbor;
    }
  }
}

#if GP_HAS_INSTANCES
GP_EXTERN template void check_rows(std::span<const std::int32_t>, std::span<const std::int32_t>);
GP_EXTERN template void check_rows(std::span<const std::int64_t>, std::span<const std::int64_t>);
#endif

}  // namespace detail

/// A graph in compressed sparse rows: row v lists the nodes that send to v (its
/// in-neighbours), ascending. In an undirected graph every edge stands in both
/// rows. Self-loops belong to the model, not to the data: message graphs add
/// exactly one a node (graph/message_graph.hpp). Make one with build_graph(). A
/// move leaves a graph of 0 nodes.
template <graph_index I>
class csr_graph {
public:
  using index_type = I;

  csr_graph() : offsets_{0} {}

  /// offsets: nodes + 1 positions into `neighbors`; rows ascending, ids in
  /// range. Checked here, because everything after trusts it. `rows` that the
  /// caller knows to be mirrored, each edge in both of them, are counted faster.
  csr_graph(std::vector<I> offsets, std::vector<I> neighbors, graph_rows rows = graph_rows::any)
      : offsets_(std::move(offsets)), neighbors_(std::move(neighbors)) {
    expects<shape_error>(!offsets_.empty(), "csr_graph: expected one offset more than nodes, got none");
    out_degrees_.resize(offsets_.size() - 1);
    detail::check_rows<I>(offsets_, neighbors_);
    count_out_degrees(rows);
  }

  std::size_t nodes() const noexcept { return out_degrees_.size(); }
  /// Stored entries: twice the number of edges of an undirected graph.
  std::size_t entries() const noexcept { return neighbors_.size(); }
  std::span<const I> offsets() const noexcept { return offsets_; }
  std::span<const I> neighbors() const noexcept { return neighbors_; }

  /// In-neighbours of a node, ascending.
  std::span<const I> neighbors(std::size_t node) const noexcept {
    return std::span<const I>(neighbors_).subspan(begin(node), begin(node + 1) - begin(node));
  }
  /// Number of in-neighbours, no self-loop added.
  std::size_t degree(std::size_t node) const noexcept { return begin(node + 1) - begin(node); }
  /// Number of rows that name this node; equal to degree() in an undirected graph.
  std::size_t out_degree(std::size_t node) const noexcept { return static_cast<std::size_t>(out_degrees_[node]); }

private:
  std::size_t begin(std::size_t node) const noexcept { return static_cast<std::size_t>(offsets_[node]); }

  void count_out_degrees(graph_rows rows) {
    if (rows == graph_rows::mirrored) {
      std::transform(offsets_.begin() + 1, offsets_.end(), offsets_.begin(), out_degrees_.begin(), std::minus<I>{});
      return;
    }
    for (const I neighbor : neighbors_) {
      ++out_degrees_[static_cast<std::size_t>(neighbor)];
    }
  }

  std::vector<I> offsets_;
  std::vector<I> neighbors_;
  std::vector<I> out_degrees_;
};

}  // namespace graphpatcher
