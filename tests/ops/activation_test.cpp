// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/activation.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/random_matrix.hpp"
#include "support/threads.hpp"

using namespace graphpatcher;
using support::random_matrix;
using support::same_bits;

TEMPLATE_TEST_CASE("activation: activations by hand", "[activation]", float, double) {
  using T = TestType;
  const cpu exec{1};
  const matrix<T> x{{-2, 0, 4}};
  matrix<T> y(1, 3);
  relu(exec, x, y.view());
  CHECK(same_bits(y, matrix<T>{{0, 0, 4}}));
  leaky_relu(exec, x, 0.25, y.view());
  CHECK(same_bits(y, matrix<T>{{-0.5, 0, 4}}));
  elu(exec, x, 2, y.view());
  CHECK(y(0, 0) == Approx(2 * (std::exp(-2.0) - 1)));
  CHECK(y(0, 1) == T(0));
  CHECK(y(0, 2) == T(4));
  prelu(exec, x, matrix<T>{{0.5}}, y.view());
  CHECK(same_bits(y, matrix<T>{{-1, 0, 4}}));
  prelu(exec, x, matrix<T>{{0.125, 1, 2}}, y.view());
  CHECK(same_bits(y, matrix<T>{{-0.25, 0, 4}}));
}

TEST_CASE("activation: adjoints by hand, at the kink too, and they add", "[activation]") {
  const cpu exec{1};
  const matrix<float> x{{-2, 0, 4}};
  const matrix<float> g{{10, 20, 30}};
  matrix<float> y(1, 3);
  matrix<float> dx(1, 3);
  const auto reset = [&] { dx.fill(1); };

  reset();
  relu(exec, x, y.view());
  relu_adjoint(exec, y, g, dx.view());
  CHECK(same_bits(dx, matrix<float>{{1, 1, 31}}));
  reset();
  leaky_relu_adjoint(exec, x, 0.5, g, dx.view());
  CHECK(same_bits(dx, matrix<float>{{6, 11, 31}}));
  reset();
  elu(exec, x, 2, y.view());
  elu_adjoint(exec, x, y, 2, g, dx.view());
  CHECK(dx(0, 0) == Approx(1 + 10 * 2 * std::exp(-2.0)));
  CHECK(dx(0, 1) == 41.0f);  // alpha at 0
  CHECK(dx(0, 2) == 31.0f);
  reset();
  prelu_adjoint(exec, x, matrix<float>{{0.5, 0.25, 8}}, g, dx.view());
  CHECK(same_bits(dx, matrix<float>{{6, 6, 31}}));
  matrix<float> shared{{1000}};
  prelu_slope_adjoint(exec, x, g, shared.view());
  CHECK(shared(0, 0) == 980.0f);
  matrix<float> own{{1, 1, 1}};
  prelu_slope_adjoint(exec, x, g, own.view());
  CHECK(same_bits(own, matrix<float>{{-19, 1, 1}}));
}

TEST_CASE("activation: an exponential linear unit with a negative alpha still has the right adjoint", "[activation]") {
  const matrix<double> x{{-1}};  // here the result is positive on the left side
  matrix<double> y(1, 1);
  matrix<double> dx(1, 1);
  elu(cpu{1}, x, -1, y.view());
  CHECK(y(0, 0) > 0);
  elu_adjoint(cpu{1}, x, y, -1, matrix<double>{{1}}, dx.view());
  CHECK(dx(0, 0) == Approx(-std::exp(-1.0)));
}

TEST_CASE("activation: a NaN is not hidden", "[activation]") {
  const matrix<float> x{{std::numeric_limits<float>::quiet_NaN()}};
  matrix<float> y(1, 1);
  relu(cpu{1}, x, y.view());
  CHECK(std::isnan(y(0, 0)));
  leaky_relu(cpu{1}, x, 0.2f, y.view());
  CHECK(std::isnan(y(0, 0)));
  elu(cpu{1}, x, 1, y.view());
  CHECK(std::isnan(y(0, 0)));
  prelu(cpu{1}, x, matrix<float>{{1}}, y.view());
  CHECK(std::isnan(y(0, 0)));
}

TEST_CASE("activation: activations have the same bits for any number of threads", "[activation]") {
  const auto x = random_matrix<float>(500, 129, 1);
  const auto g = random_matrix<float>(500, 129, 2);
  const auto slope = random_matrix<float>(1, 129, 3);
  support::same_for_any_threads([&](const cpu& exec) {
    matrix<float> y(500, 129);
    matrix<float> dx(500, 129);
    matrix<float> dslope(1, 129);
    elu(exec, x, 1, y.view());
    elu_adjoint(exec, x, y, 1, g, dx.view());
    prelu(exec, x, slope, y.view());
    prelu_adjoint(exec, x, slope, g, dx.view());
    relu_adjoint(exec, y, g, dx.view());
    prelu_slope_adjoint(exec, x, g, dslope.view());
    return std::vector{std::move(dx), std::move(dslope)};
  });
}

TEST_CASE("activation: sizes that do not fit are refused", "[activation]") {
  const cpu exec{1};
  const matrix<float> x(2, 3);
  const matrix<float> other(3, 2);
  matrix<float> y(2, 3);
  matrix<float> wrong(3, 3);
  CHECK_THROWS_AS(relu(exec, x, wrong.view()), shape_error);
  CHECK_THROWS_AS(relu_adjoint(exec, x, other, y.view()), shape_error);
  CHECK_THROWS_AS(relu_adjoint(exec, x, x, wrong.view()), shape_error);
  CHECK_THROWS_AS(elu(exec, x, 1, wrong.view()), shape_error);
  CHECK_THROWS_AS(elu_adjoint(exec, x, other, 1, x, y.view()), shape_error);
  CHECK_THROWS_AS(elu_adjoint(exec, x, x, 1, other, y.view()), shape_error);
  CHECK_THROWS_AS(elu_adjoint(exec, x, x, 1, x, wrong.view()), shape_error);
  CHECK_THROWS_AS(leaky_relu(exec, x, 1, wrong.view()), shape_error);
  CHECK_THROWS_AS(leaky_relu_adjoint(exec, x, 1, other, y.view()), shape_error);
  CHECK_THROWS_AS(leaky_relu_adjoint(exec, x, 1, x, wrong.view()), shape_error);
  CHECK_THROWS_AS(prelu(exec, x, matrix<float>(1, 2), y.view()), shape_error);
  CHECK_THROWS_AS(prelu(exec, x, matrix<float>(1, 3), wrong.view()), shape_error);
  CHECK_THROWS_AS(prelu_adjoint(exec, x, matrix<float>(2, 3), x, y.view()), shape_error);
  CHECK_THROWS_AS(prelu_adjoint(exec, x, matrix<float>(1, 1), other, y.view()), shape_error);
  CHECK_THROWS_AS(prelu_adjoint(exec, x, matrix<float>(1, 1), x, wrong.view()), shape_error);
  CHECK_THROWS_AS(prelu_slope_adjoint(exec, x, x, wrong.view()), shape_error);
  matrix<float> shared(1, 1);
  CHECK_THROWS_AS(prelu_slope_adjoint(exec, x, other, shared.view()), shape_error);
  CHECK(support::message_of<shape_error>([&] { prelu(exec, x, matrix<float>(1, 2), y.view()); }) ==
        "prelu: slope: expected 1 x 1 or 1 x 3, got 1 x 2");
}
