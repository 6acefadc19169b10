// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <ranges>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// A vector, span or array of node ids or classes.
template <class Range>
concept index_list = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    graph_index<std::ranges::range_value_t<Range>>;

/// What a metric of no nodes at all is: not a number, written as `null` in
/// JSON and as "n/a" in tables. It is neither 0 nor 100 percent.
inline constexpr double undefined_metric = std::numeric_limits<double>::quiet_NaN();

namespace detail {

/// Calls `body(predicted, truth)` for every node of `nodes`, all checked.
/// `predictions` and `labels` are indexed by node id.
template <index_list Classes, index_list Labels, index_list Nodes, class Body>
void for_each_answer(const Classes& predictions, const Labels& labels, const Nodes& nodes, const Body& body) {
  const std::size_t count = std::ranges::size(labels);
  expects<shape_error>(std::ranges::size(predictions) == count, "metrics: expected one prediction for each of the ",
                       count, " labels, got ", std::ranges::size(predictions));
  for (const auto node : nodes) {
    expects<index_error>(node >= 0 && static_cast<std::size_t>(node) < count, "metrics: node ", node,
                         ", expected an id in [0, ", count, ")");
    const auto v = static_cast<std::size_t>(node);
    const auto truth = std::ranges::data(labels)[v];
    expects<index_error>(truth >= 0, "metrics: node ", node, " has no label (", truth,
                         "), so it can't be scored; leave it out of the node list");
    body(std::ranges::data(predictions)[v], truth);
  }
}

}  // namespace detail

/// Share of `nodes` whose predicted class is their label, in percent.
/// `predictions` and `labels` hold one class for every node of the graph and
/// are indexed by node id; `undefined_metric` if `nodes` is empty.
template <index_list Classes, index_list Labels, index_list Nodes>
double accuracy(const Classes& predictions, const Labels& labels, const Nodes& nodes) {
  std::size_t correct = 0;
  detail::for_each_answer(predictions, labels, nodes,
                          [&](auto predicted, auto truth) { correct += predicted == truth; });
  const std::size_t count = std::ranges::size(nodes);
  return count == 0 ? undefined_metric : 100.0 * static_cast<double>(correct) / static_cast<double>(count);
}

/// Mean over classes of F1 = 2 TP / (2 TP + FP + FN), in percent. A class that
/// is absent among both the labels and the predictions of `nodes` has no F1
/// (0/0) and is left out of the mean; one that is present in either counts,
/// with 0 if none of its nodes was found. Arguments as for accuracy().
template <index_list Classes, index_list Labels, index_list Nodes>
double macro_f1(const Classes& predictions, const Labels& labels, const Nodes& nodes, std::size_t classes) {
  std::vector<std::size_t> found(classes), labelled(classes), predicted_as(classes);
  const auto checked = [&](auto value, const char* what) {
    expects<index_error>(value >= 0 && static_cast<std::size_t>(value) < classes, "macro_f1: ", what, " ", value,
                         ", expected a class in [0, ", classes, ")");
    return static_cast<std::size_t>(value);
  };
  detail::for_each_answer(predictions, labels, nodes, [&](auto predicted, auto truth) {
    const std::size_t p = checked(predicted, "prediction");
    const std::size_t t = checked(truth, "label");
    ++predicted_as[p];
    ++labelled[t];
    found[t] += p == t;
  });
  double sum = 0;
  std::size_t present = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    // 2 TP + FP + FN = (TP + FP) + (TP + FN): predicted as c, plus labelled c.
    if (const std::size_t total = predicted_as[c] + labelled[c]; total > 0) {
      sum += 2.0 * static_cast<double>(found[c]) / static_cast<double>(total);
      ++present;
    }
  }
  return present == 0 ? undefined_metric : 100.0 * sum / static_cast<double>(present);
}

}  // namespace graphpatcher
