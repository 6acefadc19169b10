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

/// A step of spreading at one node, in two parts. With p the probabilities, d_v the degree of v, kappa a weight and
/// s_vu the share of u among the nodes similar to v (cosines that are scaled to add up to 1), it is
///
///   spread_over::similar   y_v = (d_v p_v + kappa sum_u s_vu p_u) / (d_v + kappa)
///   spread_over::both      y_v = (p_v + sum_{u in N(v)} p_u + kappa sum_u s_vu p_u) / (1 + d_v + kappa)
///
/// The sums over others know neither kappa nor over whom it spreads: they are added up once, and weighed in many ways.
/// With kappa = 0 `both` is over edges alone. The more neighbours a node has, the less those that are merely similar
/// say.
template <class T, graph_index I>
class spread_step {
public:
  /// Row v of `alike` holds what v is like (similar_nodes()).
  spread_step(const csr_graph<I>& graph, const sparse_matrix<T, I>& alike, std::size_t classes)
      : graph_(&graph), alike_(&alike), classes_(classes) {
    expects<shape_error>(alike.rows() == graph.nodes(), "spread: expected ", graph.nodes(),
                         " rows of similar nodes, got ", alike.rows());
  }

  /// Numbers that add_up() makes: sums of a class over node and neighbours, of a class over similar nodes, and all
  /// cosines.
  std::size_t sums() const noexcept { return 2 * classes_ + 1; }

  void add_up(const matrix<T>& p, std::size_t v, std::span<T> sums) const {
    const auto near = sums.first(classes_), similar = sums.subspan(classes_, classes_);
    std::ranges::copy(p.row(v), near.begin());
    for (const I u : graph_->neighbors(v)) {
      add(T(1), p.row(static_cast<std::size_t>(u)), near);
    }
    std::ranges::fill(similar, T(0));
    T total = 0;
    const auto others = alike_->row_columns(v);
    const auto cosines = alike_->row_values(v);
    for (std::size_t k = 0; k < others.size(); ++k) {
      total += cosines[k];
      add(cosines[k], p.row(static_cast<std::size_t>(others[k])), similar);
    }
    sums.back() = total;
  }

  void weigh(const matrix<T>& p, std::size_t v, std::span<const T> sums, spread_over over, T kappa,
             std::span<T> y) const {
    const auto near = sums.first(classes_), similar = sums.subspan(classes_, classes_);
    const T degree = static_cast<T>(graph_->degree(v)), total = sums.back();
    const T others = total > T(0) ? kappa : T(0);
    const bool both = over == spread_over::both;
    const T weight = degree + (both ? T(1) : T(0)) + others;
    for (std::size_t c = 0; c < classes_; ++c) {
      const T own = both ? near[c] : degree * p(v, c);
      y[c] = weight > T(0) ? (own + (total > T(0) ? kappa * similar[c] / total : T(0))) / weight : p(v, c);
    }
  }

private:
  static void add(T scale, std::span<const T> row, std::span<T> sums) {
    for (std::size_t c = 0; c < sums.size(); ++c) {
      sums[c] += scale * row[c];
    }
  }

  const csr_graph<I>* graph_;
  const sparse_matrix<T, I>* alike_;
  std::size_t classes_;
};

/// Probabilities of all nodes, nodes x classes, spread over neighbours and those alike (spread_step), options.steps
/// times, each from the result of the one before; kappa is options.weight.
template <class T, graph_index I>
matrix<T> spread_probabilities(const cpu& exec, const csr_graph<I>& graph, const sparse_matrix<T, I>& alike,
                               matrix<T> now, const spread_options& options) {
  expects<shape_error>(now.rows() == graph.nodes(), "spread: expected ", graph.nodes(), " rows of probabilities, got ",
                       now.rows());
  const spread_step<T, I> one(graph, alike, now.cols());
  matrix<T> before = now;
  for (std::size_t step = 0; step < options.steps; ++step) {
    throw_if_interrupted("spreading predictions");
    std::swap(before, now);
    parallel_for(exec, graph.nodes(), 64, [&](std::size_t first, std::size_t last) {
      std::vector<T> sums(one.sums());
      for (std::size_t v = first; v < last; ++v) {
        one.add_up(before, v, sums);
        one.weigh(before, v, sums, options.over, static_cast<T>(options.weight), now.row(v));
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
