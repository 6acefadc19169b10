// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/ego_batch.hpp"
#include "graphpatcher/graph/message_graph.hpp"

namespace graphpatcher {

/// Which degree normalisation sees at the rim of an ego-graph, where neighbours
/// are cut off.
enum class degree_mode {
  graph,  ///< the one in the whole graph, less dropped neighbours: f(G)[v] = f(G(v))[v] holds for every model
  ego,    ///< the one inside the (corrupted) ego-graph, as released
};

/// How a patch is joined to its anchor.
enum class patch_edge {
  to_anchor,       ///< patch -> anchor, no loop: as released
  to_anchor_loop,  ///< the same with a self-loop on the patch: its hidden row carries its features into layer 2
  undirected,      ///< patch <-> anchor with a self-loop: an ordinary node of the graph, as the paper writes it
};

struct message_options {
  degree_mode degree = degree_mode::graph;
  patch_edge edge = patch_edge::to_anchor;
  std::size_t patches = 0;  ///< patches joined to every target
};

/// One target of a message graph: an ego-graph of a batch under a mask.
struct masked_ego {
  std::size_t ego = 0;
  std::span<const std::uint8_t> keep;  ///< one a neighbour of the anchor; empty = all survive
};

/// Every ego-graph of the batch, uncorrupted.
template <graph_index I>
std::vector<masked_ego> whole_egos(const ego_batch<I>& batch) {
  std::vector<masked_ego> egos(batch.size());
  for (std::size_t b = 0; b < batch.size(); ++b) {
    egos[b].ego = b;
  }
  return egos;
}

/// Every ego-graph of the batch under one sample of the masks.
template <graph_index I>
std::vector<masked_ego> corrupted_egos(const ego_batch<I>& batch, const corruption_masks& masks, std::size_t sample) {
  expects_masks_of(batch, masks, "corrupted_egos");
  expects<index_error>(sample < masks.samples, "corrupted_egos: expected a sample below ", masks.samples, ", got ",
                       sample);
  std::vector<masked_ego> egos(batch.size());
  for (std::size_t b = 0; b < batch.size(); ++b) {
    egos[b] = {b, masks.kept(b, sample)};
  }
  return egos;
}

/// Every (ego-graph, sample) that exists, anchor by anchor.
template <graph_index I>
std::vector<masked_ego> corrupted_egos(const ego_batch<I>& batch, const corruption_masks& masks) {
  expects_masks_of(batch, masks, "corrupted_egos");
  std::vector<masked_ego> egos;
  for (std::size_t b = 0; b < batch.size(); ++b) {
    for (std::size_t sample = 0; sample < masks.samples; ++sample) {
      if (masks.weight(b, sample) > 0) {
        egos.push_back({b, masks.kept(b, sample)});
      }
    }
  }
  return egos;
}

// What they give points into the masks.
template <graph_index I>
std::vector<masked_ego> corrupted_egos(const ego_batch<I>&, const corruption_masks&&, std::size_t) = delete;
template <graph_index I>
std::vector<masked_ego> corrupted_egos(const ego_batch<I>&, const corruption_masks&&) = delete;

namespace detail {

/// What is left of a run of targets, before rows are numbered.
template <graph_index I>
struct survivor_piece {
  std::vector<I> level_sizes;  // (hops + 1) a target
  std::vector<I> nodes;        // position inside the ego-graph, level by level
  std::vector<I> row_sizes;
  std::vector<I> in_degree;
  std::vector<I> out_degree;
};

/// What became of each node of one ego-graph; reused from target to target.
template <graph_index I>
struct survivor_scratch {
  static constexpr I unseen = -1;
  static constexpr I dropped = -2;
  std::vector<I> state;       // unseen, dropped, or alive (>= 0)
  std::vector<I> out_change;  // edges lost to dropped nodes (graph), or edges kept (ego)
};

/// Walks one ego-graph from its anchor over what the mask keeps, and appends
/// the survivors with their row sizes and degrees (loop counted, no patches).
template <graph_index I>
void append_survivors(const ego_batch<I>& batch, const masked_ego& target, degree_mode degree,
                      survivor_scratch<I>& scratch, survivor_piece<I>& piece) {
  using scratch_type = survivor_scratch<I>;
  const std::size_t begin = batch.begin(target.ego);
  const std::size_t size = batch.end(target.ego) - begin;
  scratch.state.assign(size, scratch_type::unseen);
  scratch.out_change.assign(size, 0);
  for (std::size_t n = 0; n < target.keep.size(); ++n) {
    if (target.keep[n] == 0) {
      scratch.state[1 + n] = scratch_type::dropped;
      for (const I source : batch.sources(begin + 1 + n)) {
        scratch.out_change[static_cast<std::size_t>(source)] += degree == degree_mode::graph;
      }
    }
  }

  const std::size_t start = piece.nodes.size();
  scratch.state[0] = 0;
  piece.nodes.push_back(0);
  piece.level_sizes.push_back(1);
  std::size_t level_start = start;
  for (std::size_t level = 1; level <= batch.hops; ++level) {
    const std::size_t level_end = piece.nodes.size();
    for (std::size_t n = level_start; n < level_end; ++n) {
      for (const I source : batch.sources(begin + static_cast<std::size_t>(piece.nodes[n]))) {
        I& state = scratch.state[static_cast<std::size_t>(source)];
        if (state == scratch_type::unseen) {
          state = 0;
          piece.nodes.push_back(source);
        }
      }
    }
    piece.level_sizes.push_back(static_cast<I>(piece.nodes.size() - level_end));
    level_start = level_end;
  }

  for (std::size_t n = start; n < piece.nodes.size(); ++n) {
    const std::size_t node = begin + static_cast<std::size_t>(piece.nodes[n]);
    I alive = 0;
    I lost = 0;
    for (const I source : batch.sources(node)) {
      const I state = scratch.state[static_cast<std::size_t>(source)];
      alive += state >= 0;
      lost += state == scratch_type::dropped;
      scratch.out_change[static_cast<std::size_t>(source)] += degree == degree_mode::ego;
    }
    piece.row_sizes.push_back(1 + alive);
    piece.in_degree.push_back(1 + (degree == degree_mode::graph ? batch.in_degree[node] - lost : alive));
  }
  for (std::size_t n = start; n < piece.nodes.size(); ++n) {
    const auto position = static_cast<std::size_t>(piece.nodes[n]);
    const I change = scratch.out_change[position];
    piece.out_degree.push_back(1 +
                               (degree == degree_mode::graph ? batch.out_degree[begin + position] - change : change));
  }
}

}  // namespace detail
}  // namespace graphpatcher
