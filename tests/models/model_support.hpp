// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/graph/dataset.hpp"
#include "nn/layer_support.hpp"

namespace gp_test {

/// Two cliques of `half` nodes, joined by one edge; a class each. Features are
/// noise but for three of them, which lean to the class. Of each clique two
/// nodes are labelled, two are for validation, and the rest for test.
template <class T, gp::graph_index I>
gp::dataset<T, I> two_cliques(std::size_t half = 12) {
  gp::dataset<T, I> data;
  data.name = "two cliques";
  data.classes = 2;
  std::vector<gp::edge<I>> edges{{0, static_cast<I>(half)}};
  gp::matrix<T> features = sparse_looking_matrix<T>(2 * half, 16, 5);
  for (std::size_t v = 0; v < 2 * half; ++v) {
    const std::size_t side = v / half;
    for (std::size_t u = side * half; u < v; ++u) {
      edges.push_back({static_cast<I>(u), static_cast<I>(v)});
    }
    for (std::size_t c = 0; c < 3; ++c) {
      features(v, c) += side == 0 ? T(1) : T(-1);
    }
    data.labels.push_back(static_cast<I>(side));
    auto& part = v % half < 2 ? data.split.train : v % half < 4 ? data.split.validation : data.split.test;
    part.push_back(static_cast<I>(v));
  }
  data.graph = gp::build_graph<I>(2 * half, edges);
  data.features = gp::sparse_from_dense<I>(features.view());
  return data;
}

/// Share of `nodes` that `logits` put into the right class.
template <class T, gp::graph_index I>
double accuracy_of(const gp::matrix<T>& logits, const gp::dataset<T, I>& data, const std::vector<I>& nodes) {
  double right = 0;
  for (const I v : nodes) {
    const auto row = logits.row(static_cast<std::size_t>(v));
    const auto best = std::ranges::max_element(row) - row.begin();
    right += best == data.labels[static_cast<std::size_t>(v)] ? 1 : 0;
  }
  return right / static_cast<double>(nodes.size());
}

}  // namespace gp_test
