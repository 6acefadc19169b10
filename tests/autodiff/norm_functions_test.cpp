// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <utility>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/gradient_check.hpp"
#include "graphpatcher/autodiff/norm_functions.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using namespace random_input;

namespace {

using tape = gp::tape<double>;

gp::parameter<double> parameter_of(gp::matrix<double> value) {
  gp::parameter<double> p("p", value.rows(), value.cols());
  p.value = std::move(value);
  return p;
}

gp::variable<double> spread(const gp::variable<double>& y, const gp::matrix<double>& r) {
  return gp::sum_all(gp::multiply(y, y.owner().constant(r)));
}

}  // namespace

TEST_CASE("layer_norm: the adjoint with respect to input, gain and shift") {
  auto x = parameter_of(values<double>(5, 19, 1));
  auto gain = parameter_of(values<double>(1, 19, 2));
  auto shift = parameter_of(values<double>(1, 19, 3));
  const auto r = values<double>(5, 19, 4);
  const auto build = [&](tape& t) { return spread(gp::layer_norm(t.use(x), t.use(gain), t.use(shift)), r); };
  CHECK(gp::gradient_check({&x, &gain, &shift}, build) < 1e-6);
}

TEST_CASE("batch_norm: the adjoint in training and in evaluation") {
  auto x = parameter_of(values<double>(6, 19, 1));
  auto gain = parameter_of(values<double>(1, 19, 2));
  auto shift = parameter_of(values<double>(1, 19, 3));
  const auto r = values<double>(6, 19, 4);
  gp::batch_statistics<double> running(19);
  for (const bool training : {true, false}) {
    const auto build = [&](tape& t) {
      training ? t.train(gp::random_stream(1, gp::purpose::dropout)) : t.evaluate();
      return spread(gp::batch_norm(t.use(x), t.use(gain), t.use(shift), running), r);
    };
    CHECK(gp::gradient_check({&x, &gain, &shift}, build) < 1e-6);
  }
}

TEST_CASE("batch_norm: running statistics move in training only") {
  const gp::matrix<double> x{{1}, {3}};
  const gp::matrix<double> gain{{1}};
  const gp::matrix<double> shift{{0}};
  gp::batch_statistics<double> running(1);
  tape t;
  gp::batch_norm(t.constant(x), t.constant(gain), t.constant(shift), running);
  CHECK(running.mean(0, 0) == 0);
  CHECK(running.variance(0, 0) == 1);
  t.train(gp::random_stream(1, gp::purpose::dropout));
  gp::batch_norm(t.constant(x), t.constant(gain), t.constant(shift), running);
  CHECK(running.mean(0, 0) == Approx(0.1 * 2));
  CHECK(running.variance(0, 0) == Approx(0.9 + 0.1 * 2));
}

TEST_CASE("norms on a tape: bad shapes are refused") {
  const gp::matrix<double> x(3, 4);
  const gp::matrix<double> row(1, 4);
  const gp::matrix<double> wrong(1, 5);
  gp::batch_statistics<double> running(4);
  tape t;
  CHECK_THROWS_AS(gp::layer_norm(t.constant(x), t.constant(wrong), t.constant(row)), gp::shape_error);
  CHECK_THROWS_AS(gp::batch_norm(t.constant(x), t.constant(row), t.constant(wrong), running), gp::shape_error);
  t.train(gp::random_stream(1, gp::purpose::dropout));
  CHECK_THROWS_AS(gp::batch_norm(t.constant(row), t.constant(row), t.constant(row), running), gp::shape_error);
}
