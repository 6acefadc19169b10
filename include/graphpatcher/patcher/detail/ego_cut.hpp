// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// A symmetric graph as one anchor sees it after some of its neighbours are
/// gone. Nothing is copied: a byte a node marks what is dropped, and is wiped by
/// touching only that. One a thread.
template <graph_index I>
class ego_cut {
public:
  /// `count_losses`: lost() is wanted.
  ego_cut(const csr_graph<I>& graph, bool count_losses)
      : graph_(&graph), is_dropped_(graph.nodes(), 0), losses_(count_losses ? graph.nodes() : 0, 0) {}

  /// Begins with an anchor, nothing dropped.
  void start(I anchor) {
    restore();
    anchor_ = anchor;
    neighbors_.clear();
    for (const I neighbor : row(anchor)) {
      if (neighbor != anchor && (neighbors_.empty() || neighbor != neighbors_.back())) {
        neighbors_.push_back(neighbor);
      }
    }
  }

  I anchor() const noexcept { return anchor_; }
  /// What corruption may drop: each neighbour once, ascending.
  std::span<const I> neighbors() const noexcept { return neighbors_; }
  std::span<const I> dropped() const noexcept { return dropped_; }

  /// Drops the neighbours n for which keeps(n) is false, and those only.
  template <class Keeps>
  void drop(Keeps&& keeps) {
    restore();
    for (std::size_t n = 0; n < neighbors_.size(); ++n) {
      if (!keeps(n)) {
        dropped_.push_back(neighbors_[n]);
        is_dropped_[static_cast<std::size_t>(neighbors_[n])] = 1;
      }
    }
    count(I(1));
  }

  /// Calls body(source) for everything a row sums over: itself, then what is
  /// left of its neighbours.
  template <class Body>
  void for_each_source(I node, Body&& body) const {
    body(node);
    for (const I neighbor : row(node)) {
      if (neighbor != node && is_dropped_[static_cast<std::size_t>(neighbor)] == 0) {
        body(neighbor);
      }
    }
  }

  /// Whether a node has lost a neighbour. Looks where there is less to look at.
  bool touches(I node) const {
    const auto names = row(node);
    if (dropped_.size() * 16 < names.size()) {
      return std::any_of(dropped_.begin(), dropped_.end(),
                         [&](I gone) { return std::binary_search(names.begin(), names.end(), gone); });
    }
    return std::any_of(names.begin(), names.end(),
                       [&](I name) { return is_dropped_[static_cast<std::size_t>(name)] != 0; });
  }

  /// Edges between a node and what is dropped.
  I lost(I node) const noexcept { return losses_[static_cast<std::size_t>(node)]; }

private:
  std::span<const I> row(I node) const noexcept { return graph_->neighbors(static_cast<std::size_t>(node)); }

  void restore() {
    for (const I gone : dropped_) {
      is_dropped_[static_cast<std::size_t>(gone)] = 0;
    }
    count(I(-1));
    dropped_.clear();
  }
  void count(I change) {
    for (std::size_t d = 0; !losses_.empty() && d < dropped_.size(); ++d) {
      for (const I neighbor : row(dropped_[d])) {
        losses_[static_cast<std::size_t>(neighbor)] += change;
      }
    }
  }

  const csr_graph<I>* graph_;
  I anchor_ = 0;
  std::vector<I> neighbors_;
  std::vector<I> dropped_;
  std::vector<std::uint8_t> is_dropped_;
  std::vector<I> losses_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
