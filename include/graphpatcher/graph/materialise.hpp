// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/graph/ego_messages.hpp"

namespace graphpatcher {

namespace detail {

inline constexpr std::size_t targets_a_piece = 16;

/// Throws unless every target is an ego-graph of the batch with a mask of its size.
template <graph_index I>
void check_targets(const ego_batch<I>& batch, std::span<const masked_ego> targets) {
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto& [ego, keep] = targets[t];
    expects<index_error>(ego < batch.size(), "materialise: target ", t, " is ego-graph ", ego, " of a batch of ",
                         batch.size());
    expects<shape_error>(keep.empty() || keep.size() == batch.neighbors(ego).size(), "materialise: target ", t,
                         ": expected a mask of ", batch.neighbors(ego).size(),
                         " neighbours, as its anchor has, or an empty one, got one of ", keep.size());
  }
}

/// Local ids of the survivors: level by level, target by target inside a level,
/// patches between the targets and the rest of level 1.
///
///   first[level * targets + t]: local id of the first node of target t there
template <graph_index I>
std::vector<std::size_t> number_levels(const std::vector<survivor_piece<I>>& pieces, std::size_t targets,
                                       std::size_t hops, std::size_t patches, message_graph<I>& graph) {
  std::vector<std::size_t> first(checked_product<std::size_t>("message graph: levels", hops + 1, targets));
  std::size_t next = 0;
  for (std::size_t level = 0; level <= hops; ++level) {
    next = level == 1 ? checked_sum("message graph", next, checked_product("message graph: patches", patches, targets))
                      : next;
    for (std::size_t t = 0; t < targets; ++t) {
      first[level * targets + t] = next;
      const auto& sizes = pieces[t / targets_a_piece].level_sizes;
      next += static_cast<std::size_t>(sizes[(t % targets_a_piece) * (hops + 1) + level]);
    }
    expects_index_fits<I>(next, "nodes of a message graph");
    graph.within.push_back(static_cast<I>(next));
  }
  return first;
}

/// Rows, degrees and sources of the patches and the change they make to their
/// anchors' degrees. Row sizes are written to offsets[id + 1].
template <graph_index I>
void add_patch_rows(std::size_t targets, const message_options& options, message_graph<I>& graph) {
  const bool loop = options.edge != patch_edge::to_anchor;
  const bool undirected = options.edge == patch_edge::undirected;
  const auto count = static_cast<I>(options.patches);
  for (std::size_t t = 0; t < targets; ++t) {
    graph.offsets[t + 1] += count;
    graph.in_degree[t] += count;
    graph.out_degree[t] += undirected ? count : 0;
  }
  for (std::size_t p = targets; p < targets * (1 + options.patches); ++p) {
    graph.global_ids[p] = -1;
    graph.offsets[p + 1] = static_cast<I>(loop) + static_cast<I>(undirected);
    graph.in_degree[p] = graph.offsets[p + 1];
    graph.out_degree[p] = 1 + static_cast<I>(loop);
  }
}

/// Sources of the rows of one target: itself, surviving neighbours, patches.
template <graph_index I>
void fill_sources(const ego_batch<I>& batch, const masked_ego& target, std::span<const I> nodes,
                  std::span<const std::size_t> ids, const message_options& options, std::size_t targets,
                  std::vector<I>& local, message_graph<I>& graph) {
  const std::size_t begin = batch.begin(target.ego);
  local.assign(batch.end(target.ego) - begin, I(-1));
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    local[static_cast<std::size_t>(nodes[n])] = static_cast<I>(ids[n]);
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    auto out = graph.sources.begin() + static_cast<std::ptrdiff_t>(graph.offsets[ids[n]]);
    *out++ = static_cast<I>(ids[n]);
    for (const I source : batch.sources(begin + static_cast<std::size_t>(nodes[n]))) {
      if (local[static_cast<std::size_t>(source)] >= 0) {
        *out++ = local[static_cast<std::size_t>(source)];
      }
    }
    for (std::size_t step = 0; n == 0 && step < options.patches; ++step) {
      const std::size_t patch = targets * (1 + step) + ids[0];
      *out++ = static_cast<I>(patch);
      auto patch_out = graph.sources.begin() + static_cast<std::ptrdiff_t>(graph.offsets[patch]);
      if (options.edge != patch_edge::to_anchor) {
        *patch_out++ = static_cast<I>(patch);
      }
      if (options.edge == patch_edge::undirected) {
        *patch_out++ = static_cast<I>(ids[0]);
      }
    }
  }
}

}  // namespace detail

/// Turns (ego-graph, mask) pairs into one message graph, patches joined: the
/// block-diagonal batch a model runs on. Thousands of targets in one call;
/// features are not touched, `global_ids` says which rows to gather.
template <graph_index I>
message_graph<I> materialise(const cpu& exec, const ego_batch<I>& batch, std::span<const masked_ego> targets,
                             const message_options& options = {}) {
  detail::check_targets(batch, targets);
  const std::size_t levels = batch.hops + 1;
  const std::size_t piece_count = (targets.size() + detail::targets_a_piece - 1) / detail::targets_a_piece;
  const auto target_range = [&](std::size_t piece) {
    return std::pair(piece * detail::targets_a_piece, std::min((piece + 1) * detail::targets_a_piece, targets.size()));
  };
  std::vector<detail::survivor_piece<I>> pieces(piece_count);
  parallel_for(exec, piece_count, 1, [&](std::size_t first, std::size_t last) {
    detail::survivor_scratch<I> scratch;
    for (std::size_t p = first; p < last; ++p) {
      for (auto [t, stop] = target_range(p); t < stop; ++t) {
        detail::append_survivors(batch, targets[t], options.degree, scratch, pieces[p]);
      }
    }
  });

  message_graph<I> graph;
  graph.patches = options.patches;
  const auto first_ids = detail::number_levels(pieces, targets.size(), batch.hops, options.patches, graph);
  const auto nodes = static_cast<std::size_t>(graph.within.back());
  graph.global_ids.resize(nodes);
  graph.in_degree.resize(nodes);
  graph.out_degree.resize(nodes);
  graph.offsets.resize(nodes + 1);

  // Ids of a piece's survivors, in the piece's order.
  std::vector<std::vector<std::size_t>> ids(piece_count);
  parallel_for(exec, piece_count, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      const auto& piece = pieces[p];
      ids[p].reserve(piece.nodes.size());
      for (auto [t, stop] = target_range(p); t < stop; ++t) {
        for (std::size_t level = 0; level < levels; ++level) {
          const auto count =
              static_cast<std::size_t>(piece.level_sizes[(t % detail::targets_a_piece) * levels + level]);
          for (std::size_t n = 0; n < count; ++n) {
            const std::size_t id = first_ids[level * targets.size() + t] + n;
            const std::size_t entry = ids[p].size();
            ids[p].push_back(id);
            graph.global_ids[id] =
                batch.nodes[batch.begin(targets[t].ego) + static_cast<std::size_t>(piece.nodes[entry])];
            graph.offsets[id + 1] = piece.row_sizes[entry];
            graph.in_degree[id] = piece.in_degree[entry];
            graph.out_degree[id] = piece.out_degree[entry];
          }
        }
      }
    }
  });
  detail::add_patch_rows(targets.size(), options, graph);
  std::size_t edges = 0;
  for (const I size : graph.offsets) {
    edges += static_cast<std::size_t>(size);
  }
  expects_index_fits<I>(edges, "edges of a message graph");
  std::inclusive_scan(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());

  graph.sources.resize(edges);
  parallel_for(exec, piece_count, 1, [&](std::size_t first, std::size_t last) {
    std::vector<I> local;
    for (std::size_t p = first; p < last; ++p) {
      std::size_t entry = 0;
      for (auto [t, stop] = target_range(p); t < stop; ++t) {
        std::size_t count = 0;
        for (std::size_t level = 0; level < levels; ++level) {
          count += static_cast<std::size_t>(pieces[p].level_sizes[(t % detail::targets_a_piece) * levels + level]);
        }
        detail::fill_sources<I>(batch, targets[t], std::span<const I>(pieces[p].nodes).subspan(entry, count),
                                std::span<const std::size_t>(ids[p]).subspan(entry, count), options, targets.size(),
                                local, graph);
        entry += count;
      }
    }
  });
  return graph;
}

/// The uncorrupted ego-graphs of a batch as a message graph.
template <graph_index I>
message_graph<I> materialise(const cpu& exec, const ego_batch<I>& batch, const message_options& options = {}) {
  const auto targets = whole_egos(batch);
  return materialise<I>(exec, batch, std::span<const masked_ego>(targets), options);
}

}  // namespace graphpatcher
