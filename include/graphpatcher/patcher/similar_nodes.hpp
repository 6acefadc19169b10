// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/feature_table.hpp"
#include "graphpatcher/ops/gemm.hpp"

namespace graphpatcher {

namespace detail {

/// Nodes that a node is like, with the cosines.
template <class T, graph_index I>
using likenesses = std::vector<std::pair<I, T>>;

/// The `count` largest; of equals the lower ids.
template <class T, graph_index I>
void keep_most_alike(likenesses<T, I>& found, std::size_t count) {
  const std::size_t kept = std::min(count, found.size());
  std::partial_sort(
      found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
      [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  found.resize(kept);
}

/// Every pair that shares a feature is looked at, by way of the feature, so the work is
/// the sum over features of (nodes that have it) squared; a thread needs memory for one
/// number a node.
template <class T, graph_index I>
std::vector<likenesses<T, I>> alike_in(const cpu& exec, const sparse_matrix<T, I>& features, std::size_t count) {
  const std::size_t nodes = features.rows();
  std::vector<T> length(nodes);
  std::vector<std::size_t> starts(checked_product<std::size_t>("similar_nodes: features", features.cols() + 1));
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
  likenesses<T, I> entries(features.nonzeros());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t v = 0; v < nodes; ++v) {
    const auto columns = features.row_columns(v);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const T scaled = length[v] > T(0) ? features.row_values(v)[k] / length[v] : T(0);
      entries[next[static_cast<std::size_t>(columns[k])]++] = {static_cast<I>(v), scaled};
    }
  }

  std::vector<likenesses<T, I>> nearest(nodes);
  parallel_for(exec, nodes, 16, [&](std::size_t first, std::size_t last) {
    std::vector<T> cosine(nodes, T(0));
    std::vector<I> met;
    for (std::size_t v = first; v < last; ++v) {
      throw_if_interrupted("looking for similar nodes");
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
      keep_most_alike(found, count);
    }
  });
  return nearest;
}

/// The same of dense features: products of blocks of rows, scaled to length 1, nodes
/// squared times features in all.
template <class T, graph_index I>
std::vector<likenesses<T, I>> alike_in_dense(const cpu& exec, const feature_table<T, I>& features, std::size_t count) {
  constexpr std::size_t own_rows = 96;
  constexpr std::size_t other_rows = 256;
  const std::size_t nodes = features.rows();
  const auto read_scaled = [&](std::size_t begin, std::size_t end, matrix<T>& rows) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto row = rows.row(v - begin);
      features.read_row(v, row);
      T squares = 0;
      for (const T value : row) {
        squares += value * value;
      }
      const T length = std::sqrt(squares);
      for (T& value : row) {
        value = length > T(0) ? value / length : T(0);
      }
    }
  };
  std::vector<likenesses<T, I>> nearest(nodes);
  parallel_for(exec, (nodes + own_rows - 1) / own_rows, 1, [&](std::size_t first, std::size_t last) {
    matrix<T> own(own_rows, features.cols()), others(other_rows, features.cols()), cosines(own_rows, other_rows);
    for (std::size_t block = first; block < last; ++block) {
      const std::size_t begin = block * own_rows, end = std::min(nodes, begin + own_rows);
      read_scaled(begin, end, own);
      for (std::size_t other = 0; other < nodes; other += other_rows) {
        throw_if_interrupted("looking for similar nodes");
        const std::size_t other_end = std::min(nodes, other + other_rows);
        read_scaled(other, other_end, others);
        const matrix_view<T> cosine(cosines.data(), end - begin, other_end - other, other_rows);
        gemm_abt<T>(cpu{1}, own.view().middle_rows(0, end - begin), others.view().middle_rows(0, other_end - other),
                    cosine);
        for (std::size_t v = begin; v < end; ++v) {
          for (std::size_t u = other; u < other_end; ++u) {
            if (const T likeness = cosine(v - begin, u - other); likeness > T(0) && u != v) {
              nearest[v].emplace_back(static_cast<I>(u), likeness);
            }
          }
          keep_most_alike(nearest[v], count);
        }
      }
    }
  });
  return nearest;
}

}  // namespace detail

/// For every node the nodes whose features are most like its own: row v of the
/// result holds their cosines, at most `count` of them, all above 0, columns
/// ascending. Of equals the lower id is taken. A node without features is like
/// nobody. Exact: no pair with a feature in common is left out.
template <class T, graph_index I>
sparse_matrix<T, I> similar_nodes(const cpu& exec, const feature_table<T, I>& features, std::size_t count) {
  expects(count >= 1, "similar_nodes: expected to look for at least 1 node, got 0");
  auto nearest = features.is_dense() ? detail::alike_in_dense(exec, features, count)
                                     : detail::alike_in(exec, features.sparse(), count);
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
