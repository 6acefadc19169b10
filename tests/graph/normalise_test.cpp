// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/normalise.hpp"

#include <catch2/catch.hpp>

using namespace graphpatcher;

TEMPLATE_TEST_CASE("normalise_rows: rows sum to 1, or stay as they are", "", float, double) {
  const sparse_matrix<TestType, std::int32_t> features(4, 3, {0, 2, 2, 3, 5}, {0, 2, 1, 0, 1}, {1, 3, 0, 2, -2});
  const auto scaled = normalise_rows(features);
  const std::vector<TestType> expected{TestType(0.25), TestType(0.75), 0, 2, -2};
  CHECK(std::vector<TestType>(scaled.values().begin(), scaled.values().end()) == expected);
  CHECK(scaled.rows() == 4);
  CHECK(scaled.cols() == 3);
  CHECK(scaled.row_values(1).empty());
  CHECK(scaled.row_columns(3)[1] == 1);
  CHECK(normalise_rows(sparse_matrix<TestType, std::int32_t>()).rows() == 0);
}

TEST_CASE("normalise_rows: values round once, also where the sum does not fit a float exactly") {
  const sparse_matrix<float, std::int32_t> features(1, 3, {0, 3}, {0, 1, 2}, {16777216.0f, 1.0f, 1.0f});
  const auto scaled = normalise_rows(features);
  CHECK(scaled.values()[1] == static_cast<float>(1.0 / 16777218.0));
}
