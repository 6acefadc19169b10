// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/degrees.hpp"

namespace graphpatcher {

/// A graph's arrays in the memory of the executor that reads them. Made by
/// host_graph or, on a GPU, by device_graph (cuda/ego_graphs.hpp).
template <graph_index I>
struct graph_view {
  std::span<const I> offsets;      ///< nodes + 1: row v is neighbors[offsets[v] .. offsets[v + 1])
  std::span<const I> neighbors;    ///< in-neighbours, each row ascending
  std::span<const I> in_degrees;   ///< of each node, loops not counted
  std::span<const I> out_degrees;  ///< likewise
  bool undirected = false;         ///< every edge stands in both rows, exactly once
  std::size_t largest_degree = 0;  ///< entries of the longest row

  std::size_t nodes() const noexcept { return in_degrees.size(); }
};

/// Degrees of every node, loops not counted.
template <graph_index I>
struct loop_free_degrees {
  std::vector<I> in;
  std::vector<I> out;

  explicit loop_free_degrees(const csr_graph<I>& graph) : in(graph.nodes()), out(graph.nodes()) {
    for (std::size_t v = 0; v < graph.nodes(); ++v) {
      const auto row = graph.neighbors(v);
      const auto loops = std::equal_range(row.begin(), row.end(), static_cast<I>(v));
      const auto count = static_cast<std::size_t>(loops.second - loops.first);
      in[v] = static_cast<I>(row.size() - count);
      out[v] = static_cast<I>(graph.out_degree(v) - count);
    }
  }
};

/// Whether every edge stands in both rows, exactly once: is_symmetric(), and no
/// edge is repeated.
template <graph_index I>
bool is_simple(const csr_graph<I>& graph) {
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    const auto row = graph.neighbors(v);
    if (std::adjacent_find(row.begin(), row.end()) != row.end()) {
      return false;
    }
  }
  return is_symmetric(graph);
}

/// Entries of the longest row.
template <graph_index I>
std::size_t largest_degree(const csr_graph<I>& graph) {
  std::size_t largest = 0;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    largest = std::max(largest, graph.degree(v));
  }
  return largest;
}

/// The arrays of a graph on the host. The graph must outlive it; only its
/// degrees are kept here.
template <graph_index I>
class host_graph {
public:
  explicit host_graph(const csr_graph<I>& graph)
      : graph_(&graph), degrees_(graph), undirected_(is_simple(graph)), largest_degree_(largest_degree(graph)) {}
  explicit host_graph(const csr_graph<I>&&) = delete;

  graph_view<I> view() const noexcept {
    return {graph_->offsets(), graph_->neighbors(), degrees_.in, degrees_.out, undirected_, largest_degree_};
  }

private:
  const csr_graph<I>* graph_;
  loop_free_degrees<I> degrees_;
  bool undirected_;
  std::size_t largest_degree_;
};

}  // namespace graphpatcher
