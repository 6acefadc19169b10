// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/ops/loss.hpp"
#include "graphpatcher/patcher/config.hpp"
#include "graphpatcher/patcher/detail/compiled.hpp"
#include "graphpatcher/patcher/similar_nodes.hpp"

namespace graphpatcher {

/// Probabilities of all nodes, nodes x classes, spread over neighbours and those alike, options.steps times. Row v of
/// `alike` holds what v is like (similar_nodes()). With p the probabilities, d_v the degree of v, kappa =
/// options.weight and s_vu the share of u among the nodes similar to v (cosines that are scaled to add up to 1), a step
/// is
///
///   spread_over::similar   y_v = (d_v p_v + kappa sum_u s_vu p_u) / (d_v + kappa)
///   spread_over::both      y_v = (p_v + sum_{u in N(v)} p_u + kappa sum_u s_vu p_u) / (1 + d_v + kappa)
///
/// each from the result of the one before. With kappa = 0 `both` is over edges alone. The more neighbours a node has,
/// the less those that are merely similar say.
template <class T, graph_index I>
matrix<T> spread_probabilities(const cpu& exec, const csr_graph<I>& graph, const sparse_matrix<T, I>& alike,
                               matrix<T> now, const spread_options& options) {
  expects<shape_error>(now.rows() == graph.nodes() && alike.rows() == graph.nodes(), "spread: expected ", graph.nodes(),
                       " rows of probabilities and of similar nodes, got ", now.rows(), " and ", alike.rows());
  const std::size_t classes = now.cols();
  matrix<T> before = now;
  const T kappa = static_cast<T>(options.weight);
  const bool over_edges = options.over == spread_over::both;
  for (std::size_t step = 0; step < options.steps; ++step) {
    throw_if_interrupted("spreading predictions");
    std::swap(before, now);
    parallel_for(exec, graph.nodes(), 64, [&](std::size_t first, std::size_t last) {
      std::vector<T> similar(classes);
      for (std::size_t v = first; v < last; ++v) {
        const auto neighbors = graph.neighbors(v);
        const T degree = static_cast<T>(neighbors.size());
        const auto row = now.row(v);
        const T own = over_edges ? T(1) : degree;
        for (std::size_t c = 0; c < classes; ++c) {
          row[c] = own * before(v, c);
        }
        for (std::size_t k = 0; over_edges && k < neighbors.size(); ++k) {
          for (std::size_t c = 0; c < classes; ++c) {
            row[c] += before(static_cast<std::size_t>(neighbors[k]), c);
          }
        }
        std::fill(similar.begin(), similar.end(), T(0));
        const auto others = alike.row_columns(v);
        T total = 0;
        for (std::size_t k = 0; k < others.size(); ++k) {
          const T likeness = alike.row_values(v)[k];
          total += likeness;
          for (std::size_t c = 0; c < classes; ++c) {
            similar[c] += likeness * before(static_cast<std::size_t>(others[k]), c);
          }
        }
        const T weight = total > T(0) ? own + (over_edges ? degree : T(0)) + kappa : own + (over_edges ? degree : T(0));
        for (std::size_t c = 0; c < classes; ++c) {
          row[c] =
              weight > T(0) ? (row[c] + (total > T(0) ? kappa * similar[c] / total : T(0))) / weight : before(v, c);
        }
      }
    });
  }
  return now;
}

namespace detail {

/// What spread_predictions() says, compiled where it is called.
template <class T, graph_index I, backbone_for<T, I> Backbone>
matrix<T> spread_here(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                      const spread_options& options) {
  const auto logits = predict(exec, model, data.graph, data.features);
  const cpu host = exec.host();
  matrix<T> own(data.nodes(), logits.cols());
  softmax(host, logits.view(), own.view());
  const auto alike = similar_nodes(host, data.features, options.similar);
  return spread_probabilities(host, data.graph, alike, std::move(own), options);
}

}  // namespace detail

/// What a backbone says about every node spread over its neighbours and
/// those alike (spread_probabilities()): class probabilities, nodes x classes. Labels play no part.
template <class T, graph_index I, backbone_for<T, I> Backbone>
matrix<T> spread_predictions(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                             const spread_options& options) {
  if constexpr (compiled::holds<Backbone>) {
    return compiled::patcher_functions_of<T, I, compiled::built_in_t<Backbone>>().spread(exec, data, model, options);
  } else {
    return detail::spread_here(exec, data, model, options);
  }
}

}  // namespace graphpatcher
