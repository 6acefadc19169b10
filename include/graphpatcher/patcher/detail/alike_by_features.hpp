// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/patcher/detail/likenesses.hpp"

namespace graphpatcher::detail {

/// Nodes that have each feature, squared, added up: the pairs that alike_by_features() looks at.
template <class T, graph_index I>
double pairs_with_a_feature(const sparse_matrix<T, I>& features) {
  std::vector<double> having(checked_product<double>("similar_nodes: features", features.cols()));
  for (const I c : features.columns()) {
    ++having[static_cast<std::size_t>(c)];
  }
  double pairs = 0;
  for (const double nodes : having) {
    pairs += nodes * nodes;
  }
  return pairs;
}

/// Every pair that shares a feature is looked at, by way of the feature; a thread needs memory for one number a node.
/// The way to go where few nodes share a feature.
template <class T, graph_index I>
std::vector<likenesses<T, I>> alike_by_features(const cpu& exec, const sparse_matrix<T, I>& features,
                                                std::size_t count) {
  const std::size_t nodes = features.rows();
  const auto scaled = unit_values(features);
  std::vector<std::size_t> starts(checked_product<std::size_t>("similar_nodes: features", features.cols() + 1));
  for (const I c : features.columns()) {
    ++starts[static_cast<std::size_t>(c) + 1];
  }
  for (std::size_t c = 0; c < features.cols(); ++c) {
    starts[c + 1] += starts[c];
  }
  likenesses<T, I> entries(features.nonzeros());  // by column
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t v = 0; v < nodes; ++v) {
    const auto begin = static_cast<std::size_t>(features.offsets()[v]);
    const auto columns = features.row_columns(v);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      entries[next[static_cast<std::size_t>(columns[k])]++] = {static_cast<I>(v), scaled[begin + k]};
    }
  }

  std::vector<likenesses<T, I>> nearest(nodes);
  parallel_for(exec, nodes, 16, [&](std::size_t first, std::size_t last) {
    std::vector<T> cosine(nodes, T(0));
    std::vector<I> met;
    for (std::size_t v = first; v < last; ++v) {
      throw_if_interrupted("looking for similar nodes");
      const auto begin = static_cast<std::size_t>(features.offsets()[v]);
      const auto columns = features.row_columns(v);
      met.clear();
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const T own = scaled[begin + k];
        const auto c = static_cast<std::size_t>(columns[k]);
        for (std::size_t e = starts[c]; e < starts[c + 1]; ++e) {
          cosine[static_cast<std::size_t>(entries[e].first)] += own * entries[e].second;
        }
        if (met.size() < nodes) {  // else all nodes are looked through, which is cheaper
          for (std::size_t e = starts[c]; e < starts[c + 1]; ++e) {
            met.push_back(entries[e].first);
          }
        }
      }
      auto& found = nearest[v];
      const auto take = [&](std::size_t u) {
        if (cosine[u] > T(0) && u != v) {
          found.emplace_back(static_cast<I>(u), cosine[u]);
        }
        cosine[u] = T(0);  // so that a second visit finds nothing
      };
      if (met.size() < nodes) {
        std::ranges::for_each(met, [&](I u) { take(static_cast<std::size_t>(u)); });
      } else {
        for (std::size_t u = 0; u < nodes; ++u) {
          take(u);
        }
      }
      keep_most_alike(found, count);
    }
  });
  return nearest;
}

}  // namespace graphpatcher::detail
