// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/patcher/detail/anchor_order.hpp"
#include "graphpatcher/patcher/detail/ego_cost.hpp"
#include "graphpatcher/patcher/fast_path.hpp"

namespace graphpatcher {

/// What somebody who reads a result should know of the way it was computed:
/// nothing if training took the fast path; else why not, and what the ego-graphs
/// cost if they are large.
template <class T, graph_index I, class Backbone>
std::vector<std::string> path_notes(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                                    const patcher_config& config) {
  const bool asked = config.path == patch_path::generic;
  const std::string why_not = asked ? "" : why_not_fast(exec, model, data.graph, config);
  if (!asked && why_not.empty()) {
    return {};
  }
  std::vector<std::string> notes{asked ? "generic path: it was asked for"
                                       : "generic path, because the fast one can't be taken: " + why_not};
  const auto cost = measure_ego_cost<I>(data.graph, training_anchors(data, config.anchors), model.hops());
  if (auto warning = warning_of(cost, config.batch); !warning.empty()) {
    notes.push_back(std::move(warning));
  }
  return notes;
}

}  // namespace graphpatcher
