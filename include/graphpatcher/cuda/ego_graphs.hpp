// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "graphpatcher/core/buffer.hpp"
#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/ego_batch.hpp"
#include "graphpatcher/graph/graph_view.hpp"

/// Ego-graphs on the GPU (kernels/ego_graphs.cu), element for element those of
/// make_ego_batch() on the CPU. Compiled for I = std::int32_t.
namespace graphpatcher {

/// Upper bounds of the ego-graph of each node, by numbers of walks: what plans
/// are made from. Never more than the graph has.
template <graph_index I>
struct ego_bounds {
  std::vector<I> nodes;
  std::vector<I> edges;
};

/// The copy of a graph in device memory, made once. `hops`: the most that
/// ego-graphs on it may have.
template <graph_index I>
class device_graph {
public:
  device_graph(const device& exec, const csr_graph<I>& graph, std::size_t hops = ego_options{}.hops)
      : device_graph(exec, graph, loop_free_degrees<I>(graph), hops) {}

  graph_view<I> view() const noexcept {
    return {offsets_.span(), neighbors_.span(), in_degrees_.span(), out_degrees_.span(), undirected_, largest_degree_};
  }
  std::size_t nodes() const noexcept { return in_degrees_.size(); }
  std::size_t hops() const noexcept { return bounds_.size(); }
  /// Of ego-graphs with `hops` hops, 1 <= hops <= hops(); host memory.
  const ego_bounds<I>& bounds(std::size_t hops) const { return bounds_[hops - 1]; }

private:
  device_graph(const device& exec, const csr_graph<I>& graph, const loop_free_degrees<I>& degrees, std::size_t hops)
      : offsets_(exec, graph.offsets()),
        neighbors_(exec, graph.neighbors()),
        in_degrees_(exec, std::span<const I>(degrees.in)),
        out_degrees_(exec, std::span<const I>(degrees.out)),
        undirected_(is_simple(graph)),
        largest_degree_(largest_degree(graph)) {
    expects(hops >= 1, "device_graph: expected ego-graphs of at least 1 hop, got 0");
    ego_bounds<I> reached{std::vector<I>(graph.nodes(), 1), degrees.in};  // 0 hops: the node and the edges it receives
    for (std::size_t hop = 1; hop <= hops; ++hop) {
      bounds_.push_back(reached = one_hop_further(graph, degrees, reached));
    }
  }

  /// A node reaches itself and what its neighbours reach with a hop less.
  static ego_bounds<I> one_hop_further(const csr_graph<I>& graph, const loop_free_degrees<I>& degrees,
                                       const ego_bounds<I>& reached) {
    ego_bounds<I> further{std::vector<I>(graph.nodes()), std::vector<I>(graph.nodes())};
    for (std::size_t v = 0; v < graph.nodes(); ++v) {
      std::uint64_t nodes = 1;
      auto edges = static_cast<std::uint64_t>(degrees.in[v]);
      for (const I neighbor : graph.neighbors(v)) {
        nodes += static_cast<std::uint64_t>(reached.nodes[static_cast<std::size_t>(neighbor)]);
        edges += static_cast<std::uint64_t>(reached.edges[static_cast<std::size_t>(neighbor)]);
      }
      further.nodes[v] = static_cast<I>(std::min<std::uint64_t>(nodes, graph.nodes()));
      further.edges[v] = static_cast<I>(std::min<std::uint64_t>(edges, graph.entries()));
    }
    return further;
  }

  backend::device_array<I> offsets_;
  backend::device_array<I> neighbors_;
  backend::device_array<I> in_degrees_;
  backend::device_array<I> out_degrees_;
  bool undirected_;
  std::size_t largest_degree_;
  std::vector<ego_bounds<I>> bounds_;
};

/// ego_batch<I> in device memory: the same arrays with the same content.
template <graph_index I>
struct device_ego_batch {
  std::size_t hops = 0;
  buffer<I> anchors;
  buffer<I> hop_offsets;
  buffer<I> nodes;
  buffer<I> edge_offsets;
  buffer<I> edge_sources;
  buffer<I> in_degree;
  buffer<I> out_degree;
  buffer<std::uint64_t> neighbor_offsets;  ///< anchors + 1: running sums of the anchors' numbers of neighbours
  std::size_t neighbors = 0;               ///< their total

  std::size_t size() const noexcept { return anchors.size(); }
};

/// What making a batch takes, before it is made.
struct ego_plan {
  std::size_t small = 0;            ///< anchors whose ego-graphs are built in shared memory
  std::size_t small_blocks = 0;     ///< blocks that share these
  std::size_t large = 0;            ///< the others: tables in global memory, one a block
  std::size_t large_blocks = 0;     ///< blocks that share these
  std::size_t table_slots = 0;      ///< of each such table
  std::size_t workspace_bytes = 0;  ///< given back when make_ego_batch() returns
  std::size_t result_bytes = 0;     ///< upper bound of what the batch keeps
};

/// Throws what make_ego_batch() throws for bad anchors or options.
template <graph_index I>
ego_plan plan_ego_batch(const cuda& exec, const device_graph<I>& graph,
                        std::type_identity_t<std::span<const I>> anchors, ego_options options = {});

/// The ego-graphs of `anchors` (host memory), in their order. Waits once for the
/// device, in the middle: the sizes of the result are three numbers that must be
/// read back before its memory can be had.
template <graph_index I>
device_ego_batch<I> make_ego_batch(const cuda& exec, const device_graph<I>& graph,
                                   std::type_identity_t<std::span<const I>> anchors, ego_options options = {});

/// A copy on the host; waits for the device.
template <graph_index I>
ego_batch<I> to_host(const cuda& exec, const device_ego_batch<I>& batch) {
  ego_batch<I> result;
  result.hops = batch.hops;
  const auto download = [&](const buffer<I>& from, std::vector<I>& to) {
    to.resize(from.size());
    backend::download(exec, to.data(), from.data(), from.bytes());
  };
  download(batch.anchors, result.anchors);
  download(batch.hop_offsets, result.hop_offsets);
  download(batch.nodes, result.nodes);
  download(batch.edge_offsets, result.edge_offsets);
  download(batch.edge_sources, result.edge_sources);
  download(batch.in_degree, result.in_degree);
  download(batch.out_degree, result.out_degree);
  return result;
}

}  // namespace graphpatcher
