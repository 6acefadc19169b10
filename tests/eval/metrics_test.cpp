// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/metrics.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <catch2/catch.hpp>

using namespace graphpatcher;
using ids = std::vector<std::int32_t>;

TEMPLATE_TEST_CASE("accuracy is the share of right answers among the given nodes", "", std::int32_t, std::int64_t) {
  const std::vector<TestType> predictions{0, 1, 2, 1, 0};
  const std::vector<TestType> labels{0, 1, 1, 1, 2};
  CHECK(accuracy(predictions, labels, std::vector<TestType>{0, 1, 2, 3, 4}) == 60.0);
  CHECK(accuracy(predictions, labels, std::vector<TestType>{2, 4}) == 0.0);
  CHECK(accuracy(predictions, labels, std::vector<TestType>{3, 0}) == 100.0);
  CHECK(accuracy(std::span<const TestType>(predictions), labels, std::array<TestType, 3>{0, 2, 4}) ==
        Approx(100.0 / 3).epsilon(1e-15));
}

TEST_CASE("metrics of no nodes are undefined, not 0 or 100") {
  CHECK(std::isnan(accuracy(ids{0}, ids{0}, ids{})));
  CHECK(std::isnan(macro_f1(ids{0}, ids{0}, ids{}, 1)));
}

TEST_CASE("macro-F1 by hand") {
  // truth      0 0 0 1 1 2
  // predicted  0 0 1 1 2 2
  // F1(0) = 2*2/(2+3) = 4/5, F1(1) = 2*1/(2+2) = 1/2, F1(2) = 2*1/(2+1) = 2/3
  const ids labels{0, 0, 0, 1, 1, 2};
  const ids predictions{0, 0, 1, 1, 2, 2};
  const ids nodes{0, 1, 2, 3, 4, 5};
  CHECK(macro_f1(predictions, labels, nodes, 3) == Approx(100.0 * (4.0 / 5 + 1.0 / 2 + 2.0 / 3) / 3).epsilon(1e-14));
}

TEST_CASE("macro-F1 leaves out classes that neither occur nor are predicted") {
  const ids labels{0, 0, 1, 1};
  const ids nodes{0, 1, 2, 3};
  SECTION("absent in both: the mean is over the two others") {
    CHECK(macro_f1(ids{0, 0, 1, 1}, labels, nodes, 5) == 100.0);
  }
  SECTION("predicted but never true: counts, with 0") {
    // F1(0) = 2*1/(1+2) = 2/3, F1(1) = 1, F1(3) = 0
    CHECK(macro_f1(ids{0, 3, 1, 1}, labels, nodes, 5) == Approx(100.0 * (2.0 / 3 + 1) / 3).epsilon(1e-14));
  }
  SECTION("true but never predicted: counts, with 0") {
    // F1(0) = 2*2/(4+2) = 2/3, F1(1) = 0
    CHECK(macro_f1(ids{0, 0, 0, 0}, labels, nodes, 5) == Approx(100.0 / 3).epsilon(1e-14));
  }
  SECTION("a class outside the given nodes is absent") {
    CHECK(macro_f1(ids{0, 0, 1, 1}, ids{0, 0, 1, 2}, ids{0, 1, 2}, 3) == 100.0);
  }
}

TEST_CASE("metrics refuse what they can't score") {
  CHECK_THROWS_AS(accuracy(ids{0, 1}, ids{0}, ids{0}), shape_error);
  CHECK_THROWS_AS(accuracy(ids{0}, ids{0}, ids{1}), index_error);
  CHECK_THROWS_AS(accuracy(ids{0}, ids{0}, ids{-1}), index_error);
  CHECK_THROWS_WITH(accuracy(ids{0, 0}, ids{0, -1}, ids{0, 1}), Catch::Contains("node 1 has no label"));
  CHECK_THROWS_WITH(macro_f1(ids{3}, ids{0}, ids{0}, 3), Catch::Contains("prediction 3, expected a class in [0, 3)"));
  CHECK_THROWS_AS(macro_f1(ids{-1}, ids{0}, ids{0}, 3), index_error);
  CHECK_THROWS_AS(macro_f1(ids{0}, ids{3}, ids{0}, 3), index_error);
}
