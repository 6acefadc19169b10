// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/activations.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "support/slope.hpp"

namespace gp = graphpatcher;
namespace fast = gp::fast;

TEST_CASE("activations and their slopes by the value", "[patcher][fast]") {
  CHECK(fast::relu_activation::value(2.5) == 2.5);
  CHECK(fast::relu_activation::value(-2.5) == 0);
  CHECK(fast::relu_activation::slope(2.5) == 1);
  CHECK(fast::relu_activation::slope(0.0) == 0);
  CHECK(fast::elu_activation::value(2.5) == 2.5);
  CHECK(fast::elu_activation::value(-1e-20) == -1e-20);  // no digit is lost next to 0
  CHECK(fast::elu_activation::value(-1.0) == Approx(std::exp(-1.0) - 1).epsilon(1e-15));
  for (double x : {-3.0, -0.1, 0.2, 4.0}) {
    const double slope = fast::elu_activation::slope(fast::elu_activation::value(x));
    CHECK(slope == Approx(support::slope(x, [&] { return fast::elu_activation::value(x); })).margin(1e-9));
    CHECK(fast::no_activation::value(x) == x);
    CHECK(fast::no_activation::slope(x) == 1);
  }
}

TEMPLATE_TEST_CASE("a row is activated by vectors, or by numbers where those are all it takes", "[patcher][fast]",
                   float, double) {
  struct halve {
    static TestType value(TestType x) { return x / 2; }
  };
  std::vector<TestType> row(16);
  for (std::size_t c = 0; c < row.size(); ++c) {
    row[c] = static_cast<TestType>(c) - 5;
  }
  auto positive = row;
  fast::activate_row(fast::relu_activation{}, 11, positive.data());
  auto halves = row;
  fast::activate_row(halve{}, 11, halves.data());
  for (std::size_t c = 0; c < 11; ++c) {
    CHECK(positive[c] == std::max(row[c], TestType(0)));
    CHECK(halves[c] == row[c] / 2);
  }
}
