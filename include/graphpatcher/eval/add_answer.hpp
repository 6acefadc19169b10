// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graphpatcher/eval/evaluate.hpp"

namespace graphpatcher {

/// Makes an answer of its own what a run answers, beside those with 0, 1, 2, ... patches: `logits` has a row for each
/// test node, in their order.
template <class T, graph_index I>
void add_answer(const dataset<T, I>& data, const matrix<T>& logits, run_result& run) {
  const auto& nodes = data.split.test;
  expects<shape_error>(logits.rows() == nodes.size() && logits.cols() == data.classes,
                       "add_answer: expected logits of ", nodes.size(), " test nodes and ", data.classes,
                       " classes, got ", logits.rows(), " x ", logits.cols());
  const auto classes = detail::predicted_classes<T, I>(logits, nodes, data.nodes());
  const auto scores = grouped_accuracy(make_degree_groups(data.graph, nodes), classes, data.labels);
  run.answer =
      patch_result{0, scores.low, scores.high, scores.overall, macro_f1(classes, data.labels, nodes, data.classes)};
  const auto by_degree = accuracy_by_degree(data.graph, classes, data.labels, nodes);
  for (std::size_t d = 0; d < run.by_degree.size(); ++d) {
    run.by_degree[d].after =
        100.0 * static_cast<double>(by_degree[d].correct) / static_cast<double>(by_degree[d].nodes);
  }
}

}  // namespace graphpatcher
