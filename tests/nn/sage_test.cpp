// SPDX-License-Identifier: MIT
#include "graphpatcher/nn/sage.hpp"

#include <catch2/catch.hpp>

#include "nn/layer_support.hpp"

namespace gp = graphpatcher;
using id32 = std::int32_t;

namespace {
const gp::random_stream stream(9, gp::purpose::initialisation);
const auto aggregators = {gp::sage_aggregator::mean, gp::sage_aggregator::pool};
}  // namespace

TEST_CASE("sage on a path of three nodes, by hand", "[nn]") {
  const auto graph = gp::whole_graph(gp::build_graph<id32>(3, std::vector<gp::edge<id32>>{{0, 1}, {1, 2}}));
  const gp::matrix<double> x{{1, 0}, {2, -5}, {-3, 4}};
  gp::sage_layer<double> layer(2, 1, {}, stream);
  layer.pool_weight.value = {{1, 0}, {0, 1}};
  layer.pool_bias.value = {{0, 1}};
  layer.self_weight.value = {{100}, {1000}};
  layer.neigh_weight.value = {{1}, {10}};
  layer.self_bias.value = {{0.5}};
  gp::tape<double> t;
  const auto y = layer.forward(t, graph.all(), t.constant(x)).value();
  // messages relu(x + (0, 1)): (1, 1), (2, 0), (0, 5)
  CHECK(y(0, 0) == Approx(100 + 2 + 10 * 1 + 0.5));
  CHECK(y(1, 0) == Approx(200 - 5000 + 2 + 10 * 5 + 0.5));
  CHECK(y(2, 0) == Approx(-300 + 4000 + 2 + 10 * 5 + 0.5));

  gp::sage_layer<double> mean(2, 1, {.aggregator = gp::sage_aggregator::mean}, stream);
  mean.self_weight.value.fill(0);
  mean.neigh_weight.value = {{1}, {10}};
  const auto averaged = mean.forward(t, graph.all(), t.constant(x)).value();
  CHECK(averaged(0, 0) == Approx(1.5 - 25));
  CHECK(averaged(1, 0) == Approx(0.0 - 10.0 / 3));
}

TEST_CASE("sage passes the gradient check, dense and sparse", "[nn]") {
  const auto aggregator = GENERATE(values(aggregators));
  const std::size_t out = GENERATE(2, 7);
  gp::sage_layer<double> layer(5, out, {.aggregator = aggregator}, stream);
  CHECK(layer.parameters().size() == (aggregator == gp::sage_aggregator::pool ? 5u : 3u));
  gp_test::randomise(layer.parameters(), 2);
  gp_test::check_gradients(layer);
}

TEST_CASE("a prefix of sage's rows is the same bits as all rows", "[nn]") {
  gp_test::check_prefixes<float>(gp::sage_layer<float>(5, 3, {.aggregator = GENERATE(values(aggregators))}, stream));
}

TEST_CASE("sage starts with zero bias or DGL 1's", "[nn]") {
  const gp::sage_layer<double> zero(16, 4, {}, stream);
  const gp::sage_layer<double> random(16, 4, {.random_bias = true}, stream);
  for (std::size_t c = 0; c < 4; ++c) {
    CHECK(zero.self_bias.value(0, c) == 0.0);
    CHECK(random.self_bias.value(0, c) != 0.0);
    CHECK(std::abs(random.self_bias.value(0, c)) <= 0.25);
  }
  double largest = 0;
  for (const double v : zero.pool_weight.value.values()) {
    largest = std::max(largest, std::abs(v));
  }
  const double bound = std::sqrt(2.0) * std::sqrt(6.0 / 32);
  CHECK(largest <= bound);
  CHECK(largest > 0.95 * bound);
}
