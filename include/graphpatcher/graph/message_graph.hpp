// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/edge_view.hpp"

namespace graphpatcher {

template <graph_index I>
class message_block;

/// The one thing a layer sees of a graph: who sends messages to whom. A whole
/// graph, a batch of ego-graphs and a batch with patches all look the same.
///
/// Local nodes are numbered by their distance from the nodes that are to be
/// predicted, the *targets*:
///
///   [ targets | 1 hop | 2 hops | ... ]
///
/// so that the rows a layer needs are always a prefix. Layer l of k is wanted
/// only within k - l hops: `towards(hops)` hands it just those rows. That is
/// exact, and for two layers it leaves out almost everything. In a whole graph
/// every node is a target.
///
/// Rows hold the self-loop first, then neighbours by ascending global id, then
/// patches by step: sums over a row are the same bits wherever the row stands.
template <graph_index I>
struct message_graph {
  std::vector<I> offsets;     ///< nodes + 1: row i receives from sources[offsets[i] .. offsets[i + 1])
  std::vector<I> sources;     ///< local ids
  std::vector<I> in_degree;   ///< for normalisation, loops and patches counted (see degree_mode)
  std::vector<I> out_degree;  ///< likewise
  std::vector<I> within;      ///< within[h]: number of nodes at most h hops from a target
  std::vector<I> global_ids;  ///< row of the feature table of each local node; -1 for a patch
  std::size_t patches = 0;    ///< patches a target; they stand right after the targets, step by step

  std::size_t nodes() const noexcept { return global_ids.size(); }
  std::size_t targets() const noexcept { return within.empty() ? 0 : static_cast<std::size_t>(within.front()); }
  /// Nodes at most `hops` hops from a target.
  std::size_t nodes_within(std::size_t hops) const noexcept {
    return hops < within.size() ? static_cast<std::size_t>(within[hops]) : nodes();
  }
  /// First local id of the patches made in step `step`; one a target.
  std::size_t patch_begin(std::size_t step) const noexcept { return targets() * (1 + step); }

  /// Every row: for layers that don't care, and for naive models.
  message_block<I> all() const& { return {*this, nodes(), nodes()}; }
  /// The rows within `hops` hops of the targets.
  message_block<I> towards(std::size_t hops) const& { return {*this, nodes_within(hops), nodes_within(hops + 1)}; }
  message_block<I> all() const&& = delete;  // a block points to its graph
  message_block<I> towards(std::size_t hops) const&& = delete;

  /// The same edges seen from their sources, made on first use (adjoints need
  /// it). Not for concurrent first use: one graph belongs to one tape.
  const csr_graph<I>& reverse() const {
    if (!reverse_) {
      reverse_ = std::make_shared<csr_graph<I>>(transpose());
    }
    return *reverse_;
  }

  /// The edge (its position in `sources`) behind each entry of reverse(): the
  /// receiver reverse().neighbors()[k] receives through edge reverse_edges()[k].
  /// Made on first use, like reverse().
  std::span<const I> reverse_edges() const {
    if (!reverse_edges_) {
      const auto starts = reverse().offsets();
      std::vector<I> next(starts.begin(), starts.end() - 1);
      std::vector<I> edges(sources.size());
      for (std::size_t e = 0; e < sources.size(); ++e) {
        edges[static_cast<std::size_t>(next[static_cast<std::size_t>(sources[e])]++)] = static_cast<I>(e);
      }
      reverse_edges_ = std::make_shared<const std::vector<I>>(std::move(edges));
    }
    return *reverse_edges_;
  }

private:
  csr_graph<I> transpose() const {
    std::vector<I> starts(nodes() + 1, 0);
    for (const I source : sources) {
      ++starts[static_cast<std::size_t>(source) + 1];
    }
    for (std::size_t v = 0; v < nodes(); ++v) {
      starts[v + 1] += starts[v];
    }
    std::vector<I> receivers(sources.size());
    std::vector<I> next(starts.begin(), starts.end() - 1);
    for (std::size_t v = 0; v < nodes(); ++v) {
      for (I e = offsets[v]; e < offsets[v + 1]; ++e) {
        receivers[static_cast<std::size_t>(next[static_cast<std::size_t>(sources[static_cast<std::size_t>(e)])]++)] =
            static_cast<I>(v);
      }
    }
    return {std::move(starts), std::move(receivers)};
  }

  friend class message_block<I>;

  mutable std::shared_ptr<const csr_graph<I>> reverse_;
  mutable std::shared_ptr<const std::vector<I>> reverse_edges_;
  backend::device_mirror<I> device_offsets_;
  backend::device_mirror<I> device_sources_;
  backend::device_mirror<I> device_reverse_offsets_;
  backend::device_mirror<I> device_receivers_;
  backend::device_mirror<I> device_reverse_edges_;
};

/// The rows of a message graph that one layer computes, by value: cheap to
/// copy, valid as long as the graph lives.
template <graph_index I>
class message_block {
public:
  message_block(const message_graph<I>& graph, std::size_t rows, std::size_t source_rows)
      : graph_(&graph), rows_(rows), source_rows_(source_rows) {}
  message_block(const message_graph<I>&&, std::size_t, std::size_t) = delete;

  const message_graph<I>& graph() const noexcept { return *graph_; }
  /// Receiving rows: [0, rows()).
  std::size_t rows() const noexcept { return rows_; }
  /// Rows that these receive from: [0, source_rows()).
  std::size_t source_rows() const noexcept { return source_rows_; }
  /// Edges of these rows.
  std::size_t edges() const noexcept { return static_cast<std::size_t>(graph_->offsets[rows_]); }
  std::span<const I> offsets() const noexcept { return {graph_->offsets.data(), rows_ + 1}; }
  std::span<const I> sources() const noexcept { return {graph_->sources.data(), edges()}; }

  /// The edges where an executor can read them; a GPU's copy is made on the
  /// graph's first use and kept, so the graph must not change after that.
  edge_view<I> on(const cpu&) const { return {offsets(), sources(), source_rows_}; }
  edge_view<I> on(const device& exec) const {
    return {graph_->device_offsets_.of(exec, graph_->offsets).first(rows_ + 1),
            graph_->device_sources_.of(exec, graph_->sources).first(edges()), source_rows_,
            longest(graph_->offsets, rows_)};
  }
  /// The same with the reverse edges, for adjoints.
  edge_view<I> both_ways_on(const cpu& exec) const {
    edge_view<I> view = on(exec);
    const auto& reverse = graph_->reverse();
    view.reverse_offsets = reverse.offsets();
    view.receivers = reverse.neighbors();
    view.reverse_edges = graph_->reverse_edges();
    return view;
  }
  edge_view<I> both_ways_on(const device& exec) const {
    edge_view<I> view = on(exec);
    const auto& reverse = graph_->reverse();
    view.reverse_offsets = graph_->device_reverse_offsets_.of(exec, reverse.offsets());
    view.receivers = graph_->device_receivers_.of(exec, reverse.neighbors());
    view.reverse_edges = graph_->device_reverse_edges_.of(exec, graph_->reverse_edges());
    view.longest_reverse_row = longest(reverse.offsets(), source_rows_);
    return view;
  }

private:
  static std::size_t longest(std::span<const I> offsets, std::size_t rows) {
    I most = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      most = std::max(most, offsets[i + 1] - offsets[i]);
    }
    return static_cast<std::size_t>(most);
  }

  const message_graph<I>* graph_;
  std::size_t rows_;
  std::size_t source_rows_;
};

}  // namespace graphpatcher
