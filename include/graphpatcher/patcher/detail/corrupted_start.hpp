// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/position_map.hpp"
#include "graphpatcher/patcher/detail/encoder.hpp"
#include "graphpatcher/patcher/detail/frozen_egos.hpp"
#include "graphpatcher/patcher/detail/patched_anchors.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// The corrupted ego-graphs that the patching of a batch starts from, as its two
/// readers want them: `graph` for the encoder of the generator, `patched` for
/// the frozen backbone. Keeps its memory from batch to batch.
template <class T, graph_index I, class Rows>
class corrupted_start {
public:
  encoder_graph<I> graph;
  patched_anchors<T, I, Rows> patched;

  corrupted_start(const Rows& rows, patch_edge edge) : patched(rows, edge) {}

  /// Corrupts the ego-graph of every anchor once, as `options` say.
  void draw(const frozen_egos<T, I, Rows>& egos, std::span<const I> anchors, const corruption_options& options) {
    local_.clear();
    graph.clear();
    patched.clear();
    const auto stream = corruption_stream(options);
    egos.with_worker([&](ego_worker<T, I>& worker) {
      for (const I anchor : anchors) {
        worker.cut.start(anchor);
        worker.masks.draw(stream, options, anchor, worker.cut.neighbors());
        worker.cut.drop([&](std::size_t n) { return worker.masks.keeps(0, n); });
        egos.gather_messages(worker);
        patched.append(egos.tables(), worker);
        append(worker);
      }
    });
    patched.close();
  }

private:
  /// The sources of the anchor, itself first, and those of its neighbours.
  void append(const ego_worker<T, I>& worker) {
    for (std::size_t k = 0; k < worker.sources.size(); ++k) {
      graph.anchors.entries.push_back(position(worker.sources[k]));
      if (k > 0) {
        graph.anchor_neighbors.entries.push_back(static_cast<I>(graph.hidden.size()));
        worker.cut.for_each_source(worker.sources[k],
                                   [&](I source) { graph.hidden.entries.push_back(position(source)); });
        graph.hidden.close();
      }
    }
    graph.anchors.close();
    graph.anchor_neighbors.close();
  }

  I position(I node) {
    if (local_.insert(node, static_cast<I>(graph.nodes.size()))) {
      graph.nodes.push_back(node);
    }
    return local_.find(node);
  }

  position_map<I> local_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
