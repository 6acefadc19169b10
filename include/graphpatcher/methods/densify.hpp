// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "graphpatcher/graph/extended_graph.hpp"
#include "graphpatcher/methods/answers.hpp"
#include "graphpatcher/methods/likeliest.hpp"
#include "graphpatcher/methods/method.hpp"
#include "graphpatcher/patcher/similar_nodes.hpp"

/// Densification at test time: a node receives from the nodes of the graph that are most like it too.
namespace graphpatcher {

/// A function for extended_graph(): up to `count` nodes that v is most like (cosines in `alike`; of equals the lower
/// ids) and doesn't receive from yet.
template <class T, graph_index I>
auto most_alike(const csr_graph<I>& graph, const sparse_matrix<T, I>& alike, std::size_t count) {
  return [&graph, &alike, count](std::size_t v) {
    const auto others = alike.row_columns(v);
    std::vector<std::size_t> order(others.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return alike.row_values(v)[k]; });
    std::vector<I> taken;
    for (std::size_t k = 0; k < order.size() && taken.size() < count; ++k) {
      if (!std::ranges::binary_search(graph.neighbors(v), others[order[k]])) {
        taken.push_back(others[order[k]]);
      }
    }
    return taken;
  };
}

/// Logits of all nodes, each with 0, 1, ..., `most` such neighbours.
template <class T, graph_index I, backbone_for<T, I> Backbone>
std::vector<matrix<T>> densified_answers(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                                         std::size_t most) {
  const auto alike = similar_nodes(exec.host(), data.features, spread_options{}.similar);
  const auto nodes = every_node<I>(data.nodes());
  std::vector<matrix<T>> answers;
  for (std::size_t k = 0; k <= most; ++k) {
    answers.push_back(
        predict(exec, model, extended_graph<I>(data.graph, nodes, most_alike(data.graph, alike, k)), data.features));
  }
  return answers;
}

/// As many such neighbours as are likeliest on validation nodes, at most as many as there would be patches.
struct densify {
  static constexpr method_info info{"densify", "the most similar nodes of the graph as further one-way neighbours",
                                    method_role::control};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    likeliest<T, I> choice(*run.data);
    const auto answers = densified_answers(run.exec, *run.data, run.backbone, run.patcher.patches);
    for (std::size_t k = 0; k < answers.size(); ++k) {
      choice.offer(probabilities_of(run.exec.host(), answers[k]), text(k));
    }
    run.settings.set("densify", choice.name());
    run.answer_with(choice.logits());
  }
};

}  // namespace graphpatcher
