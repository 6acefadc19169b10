// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "graphpatcher/graph/extended_graph.hpp"
#include "graphpatcher/methods/answers.hpp"
#include "graphpatcher/methods/likeliest.hpp"
#include "graphpatcher/methods/method.hpp"

/// NodeDup (Guo et al., 2024) at test time: a node gets a duplicate, joined to it both ways.
namespace graphpatcher {

/// Logits of all nodes without and with a duplicate.
template <class T, graph_index I, backbone_for<T, I> Backbone>
std::vector<matrix<T>> duplicated_answers(const executor& exec, const dataset<T, I>& data, const Backbone& model) {
  const auto nothing = [](std::size_t) { return std::vector<I>(); };
  const auto nodes = every_node<I>(data.nodes());
  return {predict(exec, model, data.graph, data.features),
          predict(exec, model, extended_graph<I>(data.graph, nodes, nothing, true), data.features)};
}

/// A duplicate where that is likelier on validation nodes.
struct duplicate {
  static constexpr method_info info{"duplicate", "a duplicate of the node, with an edge back", method_role::control};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    likeliest<T, I> choice(*run.data);
    for (const auto& logits : duplicated_answers(run.exec, *run.data, run.backbone)) {
      choice.offer(probabilities_of(run.exec.host(), logits), choice.best().empty() ? "no" : "yes");
    }
    run.settings.set("duplicate", choice.name());
    run.answer_with(choice.logits());
  }
};

}  // namespace graphpatcher
