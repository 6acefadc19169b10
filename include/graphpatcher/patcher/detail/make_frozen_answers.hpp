// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "graphpatcher/graph/degrees.hpp"
#include "graphpatcher/patcher/detail/compiled.hpp"
#include "graphpatcher/patcher/detail/fused_answers.hpp"
#include "graphpatcher/patcher/detail/generic_answers.hpp"
#include "graphpatcher/patcher/detail/row_answers.hpp"
#include "graphpatcher/patcher/fast_path.hpp"
#include "graphpatcher/patcher/frozen_options.hpp"

namespace graphpatcher::detail {

/// Why frozen_path::rows can't be taken; empty if it can.
template <class Backbone, graph_index I>
std::string why_not_rows(const executor& exec, const Backbone& model, const csr_graph<I>& graph) {
  if (auto reason = why_not_fast(exec, model, degree_mode::graph, patch_edge::to_anchor); !reason.empty()) {
    return reason;
  }
  return is_symmetric(graph) ? "" : "the graph is directed";
}

/// Why frozen_path::fused can't be taken; empty if it can.
template <class Backbone, graph_index I>
std::string why_not_fused_on(const executor& exec, const Backbone& model, const csr_graph<I>& graph) {
  if (exec.on_host()) {
    return "it is for a GPU, not for the processor";
  }
  if constexpr (has_fused_targets<Backbone>) {
    return why_not_fused(*exec.elsewhere(), model, graph);
  } else {
    return "the backbone is of a kind it doesn't know (it knows GCN)";
  }
}

/// The two quick paths, once nothing speaks against them. null: the backbone is
/// of a kind that `path` doesn't know, for which there is always a why-not.
template <class T, graph_index I, class Backbone>
std::shared_ptr<const frozen_answers<T, I>> make_quick_answers(const executor& exec, const Backbone& model,
                                                               const csr_graph<I>& graph,
                                                               const feature_table<T, I>& features, frozen_path path,
                                                               std::string why) {
  std::shared_ptr<const frozen_answers<T, I>> made;
  if constexpr (has_rows<Backbone>) {
    if (path == frozen_path::rows) {
      made = std::make_shared<const fast::row_answers<T, I, Backbone>>(exec.host(), model, graph, features,
                                                                       std::move(why));
    }
  }
  if constexpr (has_fused_targets<Backbone>) {
    if (path == frozen_path::fused) {
      made = std::make_shared<const fused_answers<T, I, Backbone>>(*exec.elsewhere(), model, graph, features,
                                                                   std::move(why));
    }
  }
  return made;
}

/// What make_frozen_answers() says, compiled where it is called.
template <class T, graph_index I, class Backbone>
std::shared_ptr<const frozen_answers<T, I>> make_frozen_here(const executor& exec, const Backbone& model,
                                                             const csr_graph<I>& graph,
                                                             const feature_table<T, I>& features,
                                                             const frozen_options& options) {
  const auto generic = [&](std::string why) {
    return std::make_shared<const generic_answers<T, I, Backbone>>(exec, model, graph, features, std::move(why));
  };
  const std::string asked_for = "it was asked for";
  if (options.path == frozen_path::generic) {
    return generic(asked_for);
  }
  const bool chosen = options.path == frozen_path::automatic;
  const bool rows = chosen ? exec.on_host() : options.path == frozen_path::rows;
  const char* const name = rows ? "rows" : "fused";
  const std::string why_not = rows ? why_not_rows(exec, model, graph) : why_not_fused_on(exec, model, graph);
  if (!why_not.empty()) {
    expects(chosen, "frozen_model: the path '", name, "' can't be taken: ", why_not,
            "; leave the choice to frozen_path::automatic");
    return generic(text("the path '", name, "' can't be taken: ", why_not));
  }
  const std::string why = rows ? "a backbone of 2 layers with rows, an undirected graph, a processor"
                               : "a GCN of 2 layers, an undirected graph, a GPU";
  return make_quick_answers<T, I>(exec, model, graph, features, rows ? frozen_path::rows : frozen_path::fused,
                                  chosen ? why : asked_for);
}

/// The way to a model's answers that the options name, or else the best one.
/// Model, graph and features must outlive it.
template <class T, graph_index I, class Backbone>
std::shared_ptr<const frozen_answers<T, I>> make_frozen_answers(const executor& exec, const Backbone& model,
                                                                const csr_graph<I>& graph,
                                                                const feature_table<T, I>& features,
                                                                const frozen_options& options) {
  if constexpr (compiled::holds<Backbone>) {
    using known = compiled::built_in_t<Backbone>;
    return compiled::patcher_functions_of<T, I, known>().make_frozen(exec, model, graph, features, options);
  } else {
    return make_frozen_here<T, I>(exec, model, graph, features, options);
  }
}

}  // namespace graphpatcher::detail
