// SPDX-License-Identifier: MIT
#include "graphpatcher/nn/norm.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/autodiff/gradient_check.hpp"
#include "nn/layer_support.hpp"

namespace gp = graphpatcher;

namespace {
const gp::random_stream drops(12, gp::purpose::dropout);
}

TEST_CASE("norm layers start as the identity on normalised rows and columns", "[nn]") {
  const gp::layer_norm_layer<double> rows(2, "norm", 0.0);
  CHECK(rows.gain.name == "norm.weight");
  CHECK(rows.shift.name == "norm.bias");
  const gp::matrix<double> x{{1, -1}, {-1, 1}};
  gp::tape<double> t;
  CHECK(gp_test::relative_difference(rows.forward(t, t.constant(x)).value(), x.view()) < 1e-14);
  const gp::batch_norm_layer<double> columns(2, "", {.eps = 0.0});
  t.train(drops);
  CHECK(gp_test::relative_difference(columns.forward(t, t.constant(x)).value(), x.view()) < 1e-14);
}

TEST_CASE("batch norm moves its running statistics in training alone", "[nn]") {
  const gp::batch_norm_layer<double> layer(1);
  const gp::matrix<double> x{{1}, {3}};  // mean 2, biased variance 1, unbiased 2
  gp::tape<double> t;
  const auto before = layer.forward(t, t.constant(x)).value();
  CHECK(before(0, 0) == Approx(1 / std::sqrt(1 + 1e-5)).epsilon(1e-12));  // running mean 0, variance 1
  t.train(drops);
  CHECK(layer.forward(t, t.constant(x)).value()(0, 0) == Approx(-1 / std::sqrt(1 + 1e-5)).epsilon(1e-12));
  t.evaluate();
  // running mean 0.2, variance 0.9 + 0.1 * 2
  CHECK(layer.forward(t, t.constant(x)).value()(0, 0) == Approx(0.8 / std::sqrt(1.1 + 1e-5)).epsilon(1e-12));
  CHECK(layer.forward(t, t.constant(x)).value()(0, 0) == Approx(0.8 / std::sqrt(1.1 + 1e-5)).epsilon(1e-12));
}

TEST_CASE("norm layers pass the gradient check", "[nn]") {
  const auto r = gp_test::random_matrix<double>(6, 4, 3);
  gp::parameter<double> x("x", 6, 4);
  x.value = gp_test::random_matrix<double>(6, 4, 1);
  gp::layer_norm_layer<double> rows(4);
  gp_test::randomise(rows.parameters(), 2);
  auto list = rows.parameters();
  list.push_back(&x);
  CHECK(gp::gradient_check(
            list, [&](gp::tape<double>& t) { return gp_test::weighted_sum(rows.forward(t, t.use(x)), r); }) < 1e-6);
  gp::batch_norm_layer<double> columns(4);
  gp_test::randomise(columns.parameters(), 2);
  list = columns.parameters();
  list.push_back(&x);
  const bool training = GENERATE(false, true);
  CHECK(gp::gradient_check(list, [&](gp::tape<double>& t) {
          training ? t.train(drops) : t.evaluate();
          return gp_test::weighted_sum(columns.forward(t, t.use(x)), r);
        }) < 1e-6);
}

TEST_CASE("norm layers name bad options", "[nn]") {
  CHECK_THROWS_AS(gp::layer_norm_layer<float>(0), gp::argument_error);
  CHECK_THROWS_WITH(gp::batch_norm_layer<float>(3, "", {.momentum = 2}), Catch::Contains("momentum in [0, 1], got 2"));
}
