// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/number_text.hpp"

#include <limits>

#include <catch2/catch.hpp>

using namespace graphpatcher;

TEST_CASE("fixed and signed numbers") {
  CHECK(fixed_text(80.526, 2) == "80.53");
  CHECK(fixed_text(-3.0, 1) == "-3.0");
  CHECK(fixed_text(-0.001, 2) == "0.00");
  CHECK(fixed_text(1.5, 0) == "2");
  CHECK(fixed_text(std::numeric_limits<double>::quiet_NaN(), 2) == "n/a");
  CHECK(fixed_text(std::numeric_limits<double>::infinity(), 2) == "n/a");
  CHECK(fixed_text(std::numeric_limits<double>::max(), 40).size() == 350);
  CHECK(signed_text(1.8, 2) == "+1.80");
  CHECK(signed_text(-0.3, 2) == "-0.30");
  CHECK(signed_text(0.004, 2) == "0.00");
  CHECK(signed_text(-0.004, 2) == "0.00");
  CHECK(signed_text(std::numeric_limits<double>::quiet_NaN(), 2) == "n/a");
}

TEST_CASE("the shortest decimal") {
  CHECK(shortest_text(0.0005) == "0.0005");
  CHECK(shortest_text(0.9f) == "0.9");
  CHECK(shortest_text(64.0) == "64");
  CHECK(shortest_text(0.0) == "0");
  CHECK(shortest_text(1e-7) == "1e-07");
  CHECK(shortest_text(-2.5e20) == "-2.5e+20");
}

TEST_CASE("spread is shown for several runs only") {
  CHECK(spread_text(80.5, 0.25, 1, 2) == "80.50");
  CHECK(spread_text(80.5, 0.25, 5, 2) == "80.50 ± 0.25");
}
