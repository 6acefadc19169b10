// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/neighborhood.hpp"
#include "graphpatcher/models/backbone.hpp"

namespace graphpatcher {

/// The largest |a - b| over the largest number of a; infinity if one is NaN.
template <class T>
double relative_difference(matrix_view<const T> a, matrix_view<const T> b) {
  double size = std::numeric_limits<double>::min();
  double largest = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.cols(); ++c) {
      const double difference = std::abs(static_cast<double>(a(r, c)) - static_cast<double>(b(r, c)));
      if (!std::isfinite(difference)) {
        return std::numeric_limits<double>::infinity();
      }
      size = std::max(size, std::abs(static_cast<double>(a(r, c))));
      largest = std::max(largest, difference);
    }
  }
  return largest / size;
}

namespace detail {

/// Nodes and edges within `hops` hops of a node, or some number above `most`.
template <graph_index I>
std::size_t count_around(const csr_graph<I>& graph, I node, std::size_t hops, std::size_t most) {
  position_map<I> seen;
  std::vector<I> found{node};
  seen.insert(node, 0);
  std::size_t entries = 0;
  std::size_t begin = 0;
  for (std::size_t hop = 0; hop <= hops && begin < found.size(); ++hop) {
    for (const std::size_t end = found.size(); begin < end; ++begin) {
      entries += 1 + graph.degree(static_cast<std::size_t>(found[begin]));
      if (entries > most) {
        return entries;
      }
      for (const I neighbor : graph.neighbors(static_cast<std::size_t>(found[begin]))) {
        if (hop < hops && seen.insert(neighbor, 0)) {
          found.push_back(neighbor);
        }
      }
    }
  }
  return entries;
}

/// Of a few nodes, evenly spread, the three with the most around them that isn't too much to look at.
template <graph_index I>
std::vector<I> nodes_to_compare(const csr_graph<I>& graph, std::size_t hops) {
  constexpr std::size_t looked_at = 8;
  constexpr std::size_t compared = 3;
  constexpr std::size_t most_entries = std::size_t{1} << 17;
  const std::size_t count = std::min(looked_at, graph.nodes());
  std::vector<std::pair<std::size_t, I>> sizes;
  for (std::size_t i = 0; i < count; ++i) {
    const I node = static_cast<I>(i * (graph.nodes() / count));
    if (const auto size = count_around(graph, node, hops, most_entries); size <= most_entries) {
      sizes.emplace_back(size, node);
    }
  }
  std::ranges::sort(sizes, std::greater<>{});
  sizes.resize(std::min(compared, sizes.size()));
  std::vector<I> nodes;
  std::ranges::transform(sizes, std::back_inserter(nodes), [](const auto& entry) { return entry.second; });
  return nodes;
}

}  // namespace detail

/// Whether a backbone sees no further than its hops() says: the logits of a few
/// nodes from what is within so many hops must not change when one hop more is
/// there. Throws argument_error if they do, since training and patching would cut
/// off what the model reads; gives the largest difference, over the largest logit.
/// fit(), train_patcher() and frozen_model call it for backbones of one's own. It
/// draws nothing, and looks at no more than a few small parts of the graph: nothing
/// is compared where every part is large.
template <class T, graph_index I, backbone_for<T, I> Model>
double check_backbone(const executor& exec, const Model& model, const csr_graph<I>& graph,
                      const feature_table<T, I>& features) {
  expects<shape_error>(features.rows() == graph.nodes(), "check_backbone: expected features of ", graph.nodes(),
                       " nodes, got ", features.rows());
  const std::size_t hops = model.hops();
  expects_hops(hops, 0, "backbone: hops()");
  double largest = 0;
  for (const I node : detail::nodes_to_compare(graph, hops + 1)) {
    const auto logits_within = [&](std::size_t far) {
      return predict(exec, model, neighborhood(graph, std::span<const I>(&node, 1), far), features);
    };
    const auto difference = relative_difference<T>(logits_within(hops + 1).view(), logits_within(hops).view());
    largest = std::max(largest, difference);
    // Half of the digits: another order of sums costs a few, a hop that is missing leaves none.
    expects(difference <= std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())), "backbone: hops() says ",
            hops, ", but what is further away changes the logits of node ", node, " by ", difference,
            " of the largest; let hops() give the number of message-passing layers");
  }
  return largest;
}

template <class T, graph_index I, backbone_for<T, I> Model>
double check_backbone(const executor& exec, const Model& model, const dataset<T, I>& data) {
  return check_backbone(exec, model, data.graph, data.features);
}

}  // namespace graphpatcher
