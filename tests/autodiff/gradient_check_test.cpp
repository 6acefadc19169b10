// SPDX-License-Identifier: MIT
#include "graphpatcher/autodiff/gradient_check.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "support/compare.hpp"
#include "support/random_matrix.hpp"

using namespace graphpatcher;
using support::random_parameter;

namespace {

/// Sum of squares with an adjoint that is `factor` times the right one.
variable<double> squares(const variable<double>& x, double factor) {
  auto& t = x.owner();
  auto y = t.allocate(1, 1);
  y(0, 0) = 0;
  for (const double v : x.value().row(0)) {
    y(0, 0) += v * v;
  }
  return t.record(y, {x}, [x, factor](const variable<double>& result) {
    for (std::size_t c = 0; c < x.cols(); ++c) {
      x.gradient()(0, c) += factor * 2 * x.value()(0, c) * result.gradient()(0, 0);
    }
  });
}

}  // namespace

TEST_CASE("gradient_check: a right adjoint passes, a slightly wrong one does not") {
  auto p = random_parameter<double>("p", 1, 6, 1);
  const auto before = p.value;
  const auto check = [&](double factor) {
    return gradient_check({&p}, [&](tape<double>& t) { return squares(t.use(p), factor); });
  };
  CHECK(check(1) < 1e-8);
  CHECK(check(1.001) == Approx(0.001 / 1.001).epsilon(1e-4));
  CHECK(check(-1) == Approx(2));
  CHECK(check(0) == Approx(1));
  CHECK(support::same_bits(p.value, before));
  CHECK_FALSE(p.has_gradient);
}

TEST_CASE("gradient_check: gradients left from before do not count") {
  auto p = random_parameter<double>("p", 1, 3, 2);
  p.open_gradient()(0, 0) = 100;
  CHECK(gradient_check({&p}, [&](tape<double>& t) { return squares(t.use(p), 1); }) < 1e-8);
}

TEST_CASE("gradient_check: a parameter without influence has gradient zero") {
  auto used = random_parameter<double>("used", 1, 3, 3);
  auto idle = random_parameter<double>("idle", 2, 2, 4);
  CHECK(gradient_check({&used, &idle}, [&](tape<double>& t) { return squares(t.use(used), 1); }) < 1e-8);
}

TEST_CASE("gradient_check: a parameter that only the loss sees, not the tape, is found") {
  auto p = random_parameter<double>("p", 1, 3, 5);
  const auto difference = gradient_check({&p}, [&](tape<double>& t) {
    const auto hidden = t.constant(p.value);
    return sum_all(add(multiply(hidden, hidden), t.use(p)));  // d/dp is 2 p + 1, the tape sees 1
  });
  CHECK(difference > 0.01);
}

TEST_CASE("gradient_check: a NaN gives infinity") {
  auto p = random_parameter<double>("p", 1, 3, 6);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(gradient_check({&p}, [&](tape<double>& t) { return squares(t.use(p), nan); }) ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("gradient_check: bad steps and losses are refused") {
  auto p = random_parameter<double>("p", 1, 3, 7);
  const auto build = [&](tape<double>& t) { return squares(t.use(p), 1); };
  CHECK_THROWS_AS(gradient_check({&p}, build, 0), argument_error);
  CHECK_THROWS_AS(gradient_check({&p}, [&](tape<double>& t) { return t.use(p); }), shape_error);
}
