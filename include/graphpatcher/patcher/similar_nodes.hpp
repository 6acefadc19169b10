// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/feature_table.hpp"

namespace graphpatcher {

/// For every node the nodes whose features are most like its own: row v of the
/// result holds their cosines, at most `count` of them, all above 0, columns
/// ascending. Of equals the lower id is taken. A node without features is like
/// nobody.
///
/// Exact: every pair that shares a feature is looked at, by way of the feature,
/// so the work is the sum over features of (nodes that have it) squared; a
/// thread needs memory for one number a node.
template <class T, graph_index I>
sparse_matrix<T, I> similar_nodes(const cpu& exec, const feature_table<T, I>& features, std::size_t count) {
  expects(count >= 1, "similar_nodes: expected to look for at least 1 node, got 0");
  const std::size_t nodes = features.rows();
  std::vector<T> length(nodes);
  std::vector<std::size_t> starts(features.cols() + 1);
  for (std::size_t v = 0; v < nodes; ++v) {
    T squares = 0;
    for (const T value : features.row_values(v)) {
      squares += value * value;
    }
    length[v] = std::sqrt(squares);
    for (const I c : features.row_columns(v)) {
      ++starts[static_cast<std::size_t>(c) + 1];
    }
  }
  for (std::size_t c = 0; c < features.cols(); ++c) {
    starts[c + 1] += starts[c];
  }
  // The features by column, with the rows scaled to length 1.
  std::vector<std::pair<I, T>> entries(features.nonzeros());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t v = 0; v < nodes; ++v) {
    const auto columns = features.row_columns(v);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const T scaled = length[v] > T(0) ? features.row_values(v)[k] / length[v] : T(0);
      entries[next[static_cast<std::size_t>(columns[k])]++] = {static_cast<I>(v), scaled};
    }
  }

  std::vector<std::vector<std::pair<I, T>>> nearest(nodes);
  parallel_for(exec, nodes, 16, [&](std::size_t first, std::size_t last) {
    std::vector<T> cosine(nodes, T(0));
    std::vector<I> met;
    for (std::size_t v = first; v < last; ++v) {
      const auto columns = features.row_columns(v);
      met.clear();
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const T own = length[v] > T(0) ? features.row_values(v)[k] / length[v] : T(0);
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
      const std::size_t kept = std::min(count, found.size());
      std::partial_sort(
          found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
          [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
      found.resize(kept);
      found.shrink_to_fit();
      std::sort(found.begin(), found.end());
    }
  });

  std::vector<I> offsets{0}, columns;
  std::vector<T> values;
  for (const auto& found : nearest) {
    for (const auto& [node, likeness] : found) {
      columns.push_back(node);
      values.push_back(likeness);
    }
    offsets.push_back(static_cast<I>(columns.size()));
  }
  return {nodes, nodes, std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace graphpatcher
