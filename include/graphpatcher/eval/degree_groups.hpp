// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/eval/metrics.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// Accuracy in percent of the lower third, the upper third and all test nodes.
struct group_accuracy {
  double low = undefined_metric;
  double high = undefined_metric;
  double overall = undefined_metric;
};

/// Test nodes by degree. `all` is ordered by (degree, node id), so ties at the
/// cut go to the lower id: low = the first floor(n/3) of it, high = the last
/// n - floor(2n/3). Of 1000 nodes that is 333 and 334.
template <graph_index I>
struct degree_groups {
  std::vector<I> low;
  std::vector<I> high;
  std::vector<I> all;
};

/// Nodes of one exact degree, and how many of them were predicted right.
struct degree_count {
  std::size_t degree = 0;
  std::size_t nodes = 0;
  std::size_t correct = 0;
};

/// Nodes in the lowest and in the highest third of `count`.
constexpr std::size_t low_group_size(std::size_t count) {
  return count / 3;
}
/// This is count - floor(2 count / 3), written so that it can't overflow.
constexpr std::size_t high_group_size(std::size_t count) {
  return count / 3 + (count % 3 + 1) / 2;
}

/// Splits `nodes` by their degree in `graph` (neighbours, no self-loop). Fewer
/// than three nodes leave `low` empty. A repeated node is an argument_error.
template <graph_index I, index_list Nodes>
degree_groups<I> make_degree_groups(const csr_graph<I>& graph, const Nodes& nodes) {
  std::vector<std::pair<std::size_t, I>> order;
  order.reserve(std::ranges::size(nodes));
  for (const auto node : nodes) {
    expects<index_error>(node >= 0 && static_cast<std::size_t>(node) < graph.nodes(), "degree groups: node ", node,
                         ", expected an id in [0, ", graph.nodes(), ")");
    order.emplace_back(graph.degree(static_cast<std::size_t>(node)), static_cast<I>(node));
  }
  std::ranges::sort(order);
  const auto twice = std::ranges::adjacent_find(order);
  expects<argument_error>(twice == order.end(), "degree groups: node ", twice == order.end() ? I{0} : twice->second,
                          " is named twice, expected distinct nodes");
  degree_groups<I> groups;
  for (const auto& [degree, node] : order) {
    groups.all.push_back(node);
  }
  groups.low.assign(groups.all.begin(), groups.all.begin() + low_group_size(order.size()));
  groups.high.assign(groups.all.end() - high_group_size(order.size()), groups.all.end());
  return groups;
}

/// Accuracy of each group; predictions and labels are indexed by node id.
template <graph_index I, index_list Classes, index_list Labels>
group_accuracy grouped_accuracy(const degree_groups<I>& groups, const Classes& predictions, const Labels& labels) {
  return {accuracy(predictions, labels, groups.low), accuracy(predictions, labels, groups.high),
          accuracy(predictions, labels, groups.all)};
}

/// Counts of every degree that occurs among `nodes`, ascending by degree.
template <graph_index I, index_list Classes, index_list Labels, index_list Nodes>
std::vector<degree_count> accuracy_by_degree(const csr_graph<I>& graph, const Classes& predictions,
                                             const Labels& labels, const Nodes& nodes) {
  expects<shape_error>(std::ranges::size(labels) == graph.nodes(), "accuracy by degree: expected labels of ",
                       graph.nodes(), " nodes, got ", std::ranges::size(labels));
  std::map<std::size_t, degree_count> counts;
  auto node = std::ranges::begin(nodes);
  detail::for_each_answer(predictions, labels, nodes, [&](auto predicted, auto truth) {
    const std::size_t degree = graph.degree(static_cast<std::size_t>(*node++));
    auto& count = counts[degree];
    count.degree = degree;
    ++count.nodes;
    count.correct += predicted == truth;
  });
  std::vector<degree_count> result;
  for (const auto& [degree, count] : counts) {
    result.push_back(count);
  }
  return result;
}

/// The same groups without tie noise: every node of the degree at the cut
/// belongs to its group with an equal fraction, so that the group's weights
/// add up to its size above. `by_degree` as from accuracy_by_degree().
inline group_accuracy fractional_accuracy(std::span<const degree_count> by_degree) {
  const auto share = [](auto first, auto last, std::size_t size) {
    double correct = 0;
    std::size_t missing = size;
    for (; first != last; ++first) {
      const std::size_t taken = std::min(first->nodes, missing);
      if (taken > 0) {
        correct += static_cast<double>(first->correct) * static_cast<double>(taken) / static_cast<double>(first->nodes);
      }
      missing -= taken;
    }
    return size == 0 ? undefined_metric : 100.0 * correct / static_cast<double>(size);
  };
  std::size_t total = 0;
  for (const auto& count : by_degree) {
    total += count.nodes;
  }
  return {share(by_degree.begin(), by_degree.end(), low_group_size(total)),
          share(by_degree.rbegin(), by_degree.rend(), high_group_size(total)),
          share(by_degree.begin(), by_degree.end(), total)};
}

}  // namespace graphpatcher
