// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/gcn.hpp"

/// A graph small enough for a table, and a GCN on it as loops over dense matrices.
namespace slow {

namespace gp = graphpatcher;
using id = std::int32_t;

/// 0 - 1 - 2 - 3 - 4 - 1, and 5 alone. Nodes 0 and 2 are for training.
inline gp::dataset<double, id> small_data() {
  gp::dataset<double, id> data;
  data.name = "small";
  data.graph = gp::build_graph<id>(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 1}});
  data.features = gp::sparse_from_dense<id>(
      gp::matrix<double>{{1, 0, 2}, {0, 1, 0}, {3, 1, 0}, {0, 0, 1}, {1, 1, 1}, {2, 0, 1}}.view());
  data.labels = {0, 1, 1, 0, 1, 0};
  data.classes = 2;
  data.split = {{0, 2}, {1, 3}, {4, 5}};
  return data;
}

inline gp::gcn_backbone<double> small_gcn(gp::normalisation norm) {
  return {{.hidden = 4, .dropout = 0, .norm = norm, .seed = 2}, 3, 2};
}

/// A_hat (X W) + b, where A_hat is A + I with the degrees of its rows: over them, or with their roots on both sides.
inline gp::matrix<double> dense_layer(const gp::csr_graph<id>& graph, const gp::matrix<double>& x,
                                      const gp::gcn_layer<double>& layer) {
  const std::size_t n = graph.nodes();
  gp::matrix<double> a(n, n);
  std::vector<double> degree(n, 1.0);
  for (std::size_t v = 0; v < n; ++v) {
    a(v, v) = 1;
    for (const id u : graph.neighbors(v)) {
      a(v, static_cast<std::size_t>(u)) = 1;
      ++degree[v];
    }
  }
  gp::matrix<double> y(n, layer.outputs());
  for (std::size_t v = 0; v < n; ++v) {
    for (std::size_t c = 0; c < y.cols(); ++c) {
      y(v, c) = layer.bias.value(0, c);
      for (std::size_t u = 0; u < n; ++u) {
        const double scale = layer.norm == gp::normalisation::mean ? degree[v] : std::sqrt(degree[v] * degree[u]);
        for (std::size_t k = 0; k < x.cols(); ++k) {
          y(v, c) += a(v, u) / scale * x(u, k) * layer.weight.value(k, c);
        }
      }
    }
  }
  return y;
}

inline gp::matrix<double> dense_logits(const gp::dataset<double, id>& data, const gp::csr_graph<id>& graph,
                                       const gp::gcn_backbone<double>& model) {
  gp::matrix<double> x(data.nodes(), data.features.cols());
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    data.features.read_row(v, x.row(v));
  }
  auto h = dense_layer(graph, x, model.layers[0]);
  for (auto& value : h.values()) {
    value = std::max(value, 0.0);
  }
  return dense_layer(graph, h, model.layers[1]);
}

/// -log softmax(logits)[node, label]
inline double loss_at(const gp::matrix<double>& logits, id node, id label) {
  const auto row = logits.row(static_cast<std::size_t>(node));
  return std::log(std::exp(row[0]) + std::exp(row[1])) - row[static_cast<std::size_t>(label)];
}

}  // namespace slow
