// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/patcher/detail/anchor_order.hpp"
#include "graphpatcher/patcher/detail/ego_cost.hpp"
#include "graphpatcher/patcher/fast_path.hpp"

namespace graphpatcher {

namespace detail {

/// Of a training that takes the generic path, and why it does.
template <class T, graph_index I>
std::vector<std::string> generic_path_notes(const dataset<T, I>& data, const patcher_config& config, std::size_t hops,
                                            std::string reason) {
  std::vector<std::string> notes{std::move(reason)};
  const auto cost = measure_ego_cost<I>(data.graph, training_anchors(data, config.anchors), hops);
  if (auto warning = warning_of(cost, config.batch); !warning.empty()) {
    notes.push_back(std::move(warning));
  }
  return notes;
}

#if GP_HAS_INSTANCES
GP_EXTERN template std::vector<std::string> generic_path_notes(const dataset<float, std::int32_t>&,
                                                               const patcher_config&, std::size_t, std::string);
GP_EXTERN template std::vector<std::string> generic_path_notes(const dataset<float, std::int64_t>&,
                                                               const patcher_config&, std::size_t, std::string);
GP_EXTERN template std::vector<std::string> generic_path_notes(const dataset<double, std::int32_t>&,
                                                               const patcher_config&, std::size_t, std::string);
GP_EXTERN template std::vector<std::string> generic_path_notes(const dataset<double, std::int64_t>&,
                                                               const patcher_config&, std::size_t, std::string);
#endif

}  // namespace detail

/// What somebody who reads a result should know of the way it was computed:
/// nothing if training took the fast path; else why not, and what the ego-graphs
/// cost if they are large.
template <class T, graph_index I, class Backbone>
std::vector<std::string> path_notes(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                                    const patcher_config& config) {
  if (config.path == patch_path::generic) {
    return detail::generic_path_notes(data, config, model.hops(), "generic path: it was asked for");
  }
  const std::string why_not = why_not_fast(exec, model, data.graph, config);
  return why_not.empty() ? std::vector<std::string>()
                         : detail::generic_path_notes(data, config, model.hops(),
                                                      "generic path, because the fast one can't be taken: " + why_not);
}

}  // namespace graphpatcher
