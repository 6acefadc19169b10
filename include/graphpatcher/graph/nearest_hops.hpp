// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graphpatcher/graph/ego_batch.hpp"

namespace graphpatcher {

/// The same ego-graphs as far as `hops` hops: what make_ego_batch() gives for
/// fewer hops, without another look at the graph.
template <graph_index I>
ego_batch<I> nearest_hops(const ego_batch<I>& batch, std::size_t hops) {
  expects(hops >= 1 && hops <= batch.hops, "nearest_hops: expected from 1 to ", batch.hops, " hops, got ", hops);
  ego_batch<I> near;
  near.hops = hops;
  near.anchors = batch.anchors;
  near.hop_offsets.push_back(0);
  near.edge_offsets.push_back(0);
  for (std::size_t b = 0; b < batch.size(); ++b) {
    for (std::size_t h = 0; h <= hops; ++h) {
      const auto size = batch.hop_begin(b, h + 1) - batch.hop_begin(b, h);
      near.hop_offsets.push_back(near.hop_offsets.back() + static_cast<I>(size));
    }
    const std::size_t begin = batch.begin(b);
    const std::size_t end = batch.hop_begin(b, hops + 1);
    for (std::size_t node = begin; node < end; ++node) {
      near.nodes.push_back(batch.nodes[node]);
      near.in_degree.push_back(batch.in_degree[node]);
      near.out_degree.push_back(batch.out_degree[node]);
      for (const I source : batch.sources(node)) {
        if (static_cast<std::size_t>(source) < end - begin) {
          near.edge_sources.push_back(source);
        }
      }
      near.edge_offsets.push_back(static_cast<I>(near.edge_sources.size()));
    }
  }
  return near;
}

}  // namespace graphpatcher
