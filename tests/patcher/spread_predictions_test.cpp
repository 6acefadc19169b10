// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/spread_predictions.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/models/gcn.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

/// The equation of spread_predictions(), one number after the other.
gp::matrix<double> slow_spread(const gp::dataset<double, node_id>& data, const gp::gcn_backbone<double>& model,
                               const gp::spread_options& options) {
  const auto logits = gp::predict(gp::cpu{1}, model, data.graph, data.features);
  gp::matrix<double> p(logits.rows(), logits.cols());
  gp::softmax(gp::cpu{1}, logits.view(), p.view());
  const auto alike = gp::similar_nodes(gp::cpu{1}, data.features, options.similar);
  for (std::size_t step = 0; step < options.steps; ++step) {
    gp::matrix<double> y(p.rows(), p.cols());
    for (std::size_t v = 0; v < p.rows(); ++v) {
      const auto d = static_cast<double>(data.graph.degree(v));
      const auto likeness = alike.row_values(v);
      const double total = std::accumulate(likeness.begin(), likeness.end(), 0.0);
      const double kappa = total > 0 ? options.weight : 0;
      for (std::size_t c = 0; c < p.cols(); ++c) {
        double similar = 0, neighbors = 0;
        for (std::size_t k = 0; k < likeness.size(); ++k) {
          similar += likeness[k] / total * p(static_cast<std::size_t>(alike.row_columns(v)[k]), c);
        }
        for (const node_id u : data.graph.neighbors(v)) {
          neighbors += p(static_cast<std::size_t>(u), c);
        }
        y(v, c) = options.over == gp::spread_over::both ? (p(v, c) + neighbors + kappa * similar) / (1 + d + kappa)
                  : d + kappa > 0                       ? (d * p(v, c) + kappa * similar) / (d + kappa)
                                                        : p(v, c);
      }
    }
    p = y;
  }
  return p;
}

}  // namespace

TEST_CASE("spread predictions are those of the equation, and probabilities", "[patcher]") {
  const auto data = toy::make<double>(50, 60);  // some nodes have no neighbour
  const gp::gcn_backbone<double> model({.hidden = 8}, 12, 3);
  for (const auto over : {gp::spread_over::similar, gp::spread_over::both}) {
    for (const std::size_t steps : {1, 3}) {
      const gp::spread_options options{.over = over, .similar = 4, .weight = 1.5, .steps = steps};
      const auto expected = slow_spread(data, model, options);
      const auto spread = gp::spread_predictions(gp::cpu{2}, data, model, options);
      for (std::size_t v = 0; v < spread.rows(); ++v) {
        double sum = 0;
        for (std::size_t c = 0; c < spread.cols(); ++c) {
          CHECK(spread(v, c) == Approx(expected(v, c)).epsilon(1e-12));
          sum += spread(v, c);
        }
        CHECK(sum == Approx(1.0).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("a graph without features takes in its neighbours only", "[patcher]") {
  auto data = toy::make<double>(20, 30);
  data.features = gp::sparse_matrix<double, node_id>(20, 12, std::vector<node_id>(21, 0), {}, {});
  const gp::gcn_backbone<double> model({.hidden = 8}, 12, 3);
  const auto own = gp::spread_predictions(gp::cpu{1}, data, model, {.over = gp::spread_over::similar});
  const auto logits = gp::predict(gp::cpu{1}, model, data.graph, data.features);
  gp::matrix<double> p(logits.rows(), logits.cols());
  gp::softmax(gp::cpu{1}, logits.view(), p.view());
  for (std::size_t v = 0; v < 20; ++v) {
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(own(v, c) == Approx(p(v, c)).epsilon(1e-12));
    }
  }
}

TEST_CASE("bad options of spreading are refused", "[patcher]") {
  gp::patcher_config config;
  config.spread.steps = 0;
  CHECK_THROWS_WITH(config.check(), "patcher: expected spread_steps in [1, 1000000], got 0");
  config.spread = {.similar = 0};
  CHECK_THROWS_WITH(config.check(), "patcher: expected spread_similar >= 1, got 0");
  config.spread = {.weight = -1};
  CHECK_THROWS_WITH(config.check(), "patcher: expected spread_weight > 0, got -1");
}
