// SPDX-License-Identifier: MIT
#include "graphpatcher/nn/mlp.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "graphpatcher/autodiff/gradient_check.hpp"
#include "nn/layer_support.hpp"

namespace gp = graphpatcher;

namespace {
const gp::random_stream stream(6, gp::purpose::initialisation);
const gp::random_stream drops(7, gp::purpose::dropout);
constexpr std::array<std::size_t, 4> widths{5, 6, 7, 3};
}  // namespace

TEST_CASE("mlp names its parameters and may leave out the last bias", "[nn]") {
  gp::mlp<double> net(widths, {.last_bias = false}, stream, "mlp");
  std::vector<std::string> names;
  for (const auto* p : net.parameters()) {
    names.push_back(p->name);
  }
  CHECK(names == std::vector<std::string>{"mlp.layers.0.weight", "mlp.layers.0.bias", "mlp.layers.1.weight",
                                          "mlp.layers.1.bias", "mlp.layers.2.weight"});
  CHECK(net.inputs() == 5);
  CHECK(net.outputs() == 3);
}

TEST_CASE("mlp has a ReLU between layers and none at the end", "[nn]") {
  gp::mlp<double> net(std::array<std::size_t, 3>{1, 2, 1}, {}, stream);
  net.layers[0].weight.value = {{1, -1}};
  net.layers[0].bias.value = {{0, 0.5}};
  net.layers[1].weight.value = {{2}, {-3}};
  net.layers[1].bias.value = {{1}};
  gp::tape<double> t;
  const gp::matrix<double> x{{2}, {-2}};
  const auto y = net.forward(t, t.constant(x));
  CHECK(y.value()(0, 0) == 5.0);   // 2 * 2 - 3 * 0 + 1
  CHECK(y.value()(1, 0) == -6.5);  // 2 * 0 - 3 * 2.5 + 1
}

TEST_CASE("mlp passes the gradient check, with dropout too", "[nn]") {
  const auto x = gp_test::random_matrix<double>(6, 5, 1);
  const auto r = gp_test::random_matrix<double>(6, 3, 2);
  gp::mlp<double> net(widths, {.dropout = 0.3, .last_bias = false}, stream);
  gp_test::randomise(net.parameters(), 4);
  const bool training = GENERATE(false, true);
  CHECK(gp::gradient_check(net.parameters(), [&](gp::tape<double>& t) {
          training ? t.train(drops) : t.evaluate();
          return gp_test::weighted_sum(net.forward(t, t.constant(x)), r);
        }) < 1e-6);
}

TEST_CASE("a row's dropout follows its key, not its place", "[nn]") {
  const auto x = gp_test::random_matrix<double>(4, 5, 1);
  gp::matrix<double> turned(4, 5);
  for (std::size_t r = 0; r < 4; ++r) {
    std::copy(x.row(r).begin(), x.row(r).end(), turned.row(3 - r).begin());
  }
  const std::vector<std::int32_t> keys{40, 30, 20, 10}, turned_keys{10, 20, 30, 40};
  gp::mlp<double> net(widths, {.dropout = 0.5}, stream);
  gp::tape<double> a, b, evaluation;
  a.train(drops);
  b.train(drops);
  const auto straight = net.forward(a, a.constant(x), std::span<const std::int32_t>(keys));
  const auto back = net.forward(b, b.constant(turned), std::span<const std::int32_t>(turned_keys));
  const auto undropped = net.forward(evaluation, evaluation.constant(x));
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(straight.value()(r, c) == back.value()(3 - r, c));
    }
  }
  CHECK_FALSE(gp_test::same_values(straight.value(), undropped.value()));
}

TEST_CASE("mlp names bad shapes", "[nn]") {
  CHECK_THROWS_AS(gp::mlp<float>(std::array<std::size_t, 1>{5}, {}, stream), gp::argument_error);
  CHECK_THROWS_WITH(gp::mlp<float>(widths, {.dropout = 1.0}, stream), Catch::Contains("dropout in [0, 1), got 1"));
}
