// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/statistics.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using namespace graphpatcher;

TEST_CASE("mean and sample standard deviation by hand") {
  // mean 5; squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32; 32 / 7
  const auto result = summarise(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(result.mean == 5.0);
  CHECK(result.deviation == Approx(std::sqrt(32.0 / 7)).epsilon(1e-15));
  CHECK(result.count == 8);
}

TEST_CASE("one run has no spread") {
  const auto result = summarise(std::vector<double>{81.5});
  CHECK(result.mean == 81.5);
  CHECK(result.deviation == 0.0);
  CHECK(result.count == 1);
}

TEST_CASE("an offset does not spoil the deviation") {
  const auto result = summarise(std::vector<double>{1e9 + 1, 1e9 + 2, 1e9 + 3});
  CHECK(result.mean == 1e9 + 2);
  CHECK(result.deviation == 1.0);
}

TEST_CASE("an undefined value stays undefined, no values are an error") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(summarise(std::vector<double>{1, nan}).mean));
  CHECK(std::isnan(summarise(std::vector<double>{1, nan}).deviation));
  CHECK(std::isnan(summarise(std::vector<double>{nan}).deviation));
  CHECK_THROWS_AS(summarise(std::vector<double>{}), argument_error);
}
