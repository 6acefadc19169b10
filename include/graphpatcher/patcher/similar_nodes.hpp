// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/feature_table.hpp"
#include "graphpatcher/patcher/detail/alike_by_features.hpp"
#include "graphpatcher/patcher/detail/alike_by_products.hpp"

namespace graphpatcher {

namespace detail {

/// Whether products are the faster way. They multiply half of all pairs of nodes by the non-zeros of a row, some 30 to
/// 100 numbers in the time that the other way takes for a pair of nodes that share a feature; and a block of rows with
/// their zeros has to stay in the last cache.
template <class T, graph_index I>
bool products_are_faster(const sparse_matrix<T, I>& features) {
  constexpr double numbers_for_a_pair = 30, cache = 1 << 24;
  const double products = static_cast<double>(features.rows()) * static_cast<double>(features.nonzeros()) / 2;
  return static_cast<double>(features.cols()) * static_cast<double>(alike_block * sizeof(T)) <= cache &&
         products <= numbers_for_a_pair * pairs_with_a_feature(features);
}

template <class T, graph_index I>
std::vector<likenesses<T, I>> most_alike_nodes(const cpu& exec, const feature_table<T, I>& features,
                                               std::size_t count) {
  if (features.is_dense()) {
    return alike_by_products<T, I>(exec, features.rows(), dense_cosines<T, I>(features), count);
  }
  return products_are_faster(features.sparse())
             ? alike_by_products<T, I>(exec, features.rows(), sparse_cosines<T, I>(features), count)
             : alike_by_features(exec, features.sparse(), count);
}

}  // namespace detail

/// For every node the nodes whose features are most like its own: row v of the
/// result holds their cosines, at most `count` of them, all above 0, columns
/// ascending. Of equals the lower id is taken. A node without features is like
/// nobody. Exact: no pair with a feature in common is left out.
template <class T, graph_index I>
sparse_matrix<T, I> similar_nodes(const cpu& exec, const feature_table<T, I>& features, std::size_t count) {
  expects(count >= 1, "similar_nodes: expected to look for at least 1 node, got 0");
  auto nearest = detail::most_alike_nodes(exec, features, count);
  std::vector<I> offsets{0}, columns;
  std::vector<T> values;
  for (auto& found : nearest) {
    std::sort(found.begin(), found.end());
    for (const auto& [node, likeness] : found) {
      columns.push_back(node);
      values.push_back(likeness);
    }
    offsets.push_back(static_cast<I>(columns.size()));
  }
  return {features.rows(), features.rows(), std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace graphpatcher
