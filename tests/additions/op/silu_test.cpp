// SPDX-License-Identifier: MIT
#include "additions/op/silu.hpp"

#include <graphpatcher/autodiff/functions.hpp>
#include <graphpatcher/autodiff/gradient_check.hpp>

#include <catch2/catch.hpp>

#include "support/compare.hpp"
#include "support/random_matrix.hpp"

namespace gp = graphpatcher;

TEST_CASE("silu: by hand", "[additions]") {
  const gp::matrix<double> x{{0, 1, -1, 40}};
  gp::matrix<double> y(1, 4);
  own::silu<double>(gp::cpu{1}, x, y.view());
  CHECK(y(0, 0) == 0);
  CHECK(y(0, 1) == Approx(0.7310585786300049));   // 1 / (1 + 1/e)
  CHECK(y(0, 2) == Approx(-0.2689414213699951));  // -1 / (1 + e)
  CHECK(y(0, 3) == Approx(40));
}

TEST_CASE("silu: the adjoint agrees with finite differences", "[additions]") {
  auto x = support::random_parameter<double>("x", 6, 5, 1);
  CHECK(gp::gradient_check({&x}, [&](gp::tape<double>& t) {
          const auto y = own::silu(t.use(x));
          return gp::sum_all(gp::multiply(y, y));
        }) < 1e-6);
}

TEST_CASE("silu: the adjoint adds", "[additions]") {
  const gp::matrix<double> x{{0}};
  const gp::matrix<double> g{{4}};
  gp::matrix<double> dx{{100}};
  own::silu_adjoint<double>(gp::cpu{1}, x, g, dx.view());
  CHECK(dx(0, 0) == 102);  // σ(0) = 1/2
}

TEST_CASE("silu: the same bits for any number of threads", "[additions]") {
  const auto x = support::random_matrix<float>(1000, 7, 1);
  gp::matrix<float> one(1000, 7);
  own::silu<float>(gp::cpu{1}, x, one.view());
  for (const int threads : {2, 3, 8}) {
    gp::matrix<float> many(1000, 7);
    own::silu<float>(gp::cpu{threads}, x, many.view());
    CHECK(support::same_bits(many, one));
  }
}

TEST_CASE("silu: a result of another shape is refused", "[additions]") {
  const gp::matrix<float> x(2, 3);
  gp::matrix<float> y(3, 2);
  CHECK_THROWS_WITH((own::silu<float>(gp::cpu{1}, x, y.view())), "silu: result: expected 2 x 3, got 3 x 2");
  CHECK_THROWS_AS((own::silu_adjoint<float>(gp::cpu{1}, x, x, y.view())), gp::shape_error);
}
