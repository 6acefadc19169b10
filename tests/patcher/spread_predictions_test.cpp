// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/spread_predictions.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/builder.hpp"
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

TEST_CASE("spread probabilities worked out by hand on a path of five nodes", "[patcher]") {
  const auto graph = gp::build_graph<node_id>(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const gp::matrix<double> p{{1, 0}, {0.5, 0.5}, {0, 1}, {0.25, 0.75}, {0.5, 0.5}};
  // 0 is like 2, three times as much as it is like 4; 4 is like 0; the others are like nobody.
  const gp::sparse_matrix<double, node_id> alike(5, 5, {0, 2, 2, 2, 2, 3}, {2, 4, 0}, {0.6, 0.2, 0.3});
  const auto both = gp::spread_probabilities(gp::cpu{1}, graph, alike, p, {.weight = 2, .steps = 1});
  CHECK(both(0, 0) == Approx((1 + 0.5 + 2 * (0.75 * 0 + 0.25 * 0.5)) / 4));
  CHECK(both(1, 0) == Approx((0.5 + 1 + 0) / 3));
  CHECK(both(4, 0) == Approx((0.5 + 0.25 + 2 * 1) / 4));
  const auto similar = gp::spread_probabilities(gp::cpu{1}, graph, alike, p,
                                                {.over = gp::spread_over::similar, .weight = 2, .steps = 1});
  CHECK(similar(0, 0) == Approx((1 + 2 * 0.125) / 3));
  CHECK(similar(1, 0) == Approx(0.5));
  const auto edges = gp::spread_probabilities(gp::cpu{1}, graph, alike, p, {.weight = 0, .steps = 1});
  CHECK(edges(0, 0) == Approx((1 + 0.5) / 2));

  const auto twice = gp::spread_probabilities(gp::cpu{1}, graph, alike, p, {.weight = 2, .steps = 2});
  const auto again = gp::spread_probabilities(gp::cpu{3}, graph, alike, both, {.weight = 2, .steps = 1});
  CHECK(std::ranges::equal(twice.values(), again.values()));
  CHECK_THROWS_AS(gp::spread_probabilities(gp::cpu{1}, graph, alike, gp::matrix<double>(4, 2), {}), gp::shape_error);
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
