// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include "graphpatcher/core/sparse_matrix.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

using sparse = sparse_matrix<float, std::int32_t>;

TEMPLATE_TEST_CASE("a sparse matrix gives its rows", "[sparse_matrix]", std::int32_t, std::int64_t) {
  const sparse_matrix<double, TestType> values(3, 4, {0, 2, 2, 3}, {0, 3, 1}, {1.5, 2.5, 3.5});
  CHECK(values.rows() == 3);
  CHECK(values.cols() == 4);
  CHECK(values.nonzeros() == 3);
  REQUIRE(values.row_columns(0).size() == 2);
  CHECK(values.row_columns(0)[1] == 3);
  CHECK(values.row_values(0)[1] == 2.5);
  CHECK(values.row_columns(1).empty());
  CHECK(values.row_values(2)[0] == 3.5);
}

TEST_CASE("the non-zeros of a dense matrix", "[sparse_matrix]") {
  const matrix<float> dense{{0, 2, 0}, {0, 0, 0}, {4, 0, 5}};
  const auto values = sparse_from_dense<std::int32_t>(dense.view());
  CHECK(values.nonzeros() == 3);
  CHECK(values.row_columns(0)[0] == 1);
  CHECK(values.row_columns(1).empty());
  CHECK(values.row_columns(2)[1] == 2);
  CHECK(values.row_values(2)[1] == 5);
  matrix<float> broken = dense;
  broken(1, 1) = std::nanf("");
  CHECK_THROWS_AS(sparse_from_dense<std::int32_t>(broken.view()), numeric_error);
}

TEST_CASE("a sparse matrix refuses arrays that do not fit together", "[sparse_matrix]") {
  CHECK_THROWS_AS(sparse(2, 2, {0, 1}, {0}, {1}), shape_error);
  CHECK_THROWS_AS(sparse(1, 2, {0, 1}, {0}, {1, 2}), shape_error);
  CHECK_THROWS_AS(sparse(1, 2, {0, 2}, {0}, {1}), shape_error);
  CHECK_THROWS_AS(sparse(1, 2, {1, 1}, {0}, {1}), shape_error);
  CHECK_THROWS_AS(sparse(3, 2, {0, 2, 1, 2}, {0, 1}, {1, 2}), shape_error);
  CHECK_THROWS_WITH(sparse(3, 2, {0, 2, 1, 2}, {0, 1}, {1, 2}), Contains("fall at row 1"));
  CHECK_THROWS_AS(sparse(3, 2, {0, 9, 2, 2}, {0, 1}, {1, 2}), shape_error);
}

TEST_CASE("a sparse matrix refuses columns out of range, repeated or unordered", "[sparse_matrix]") {
  CHECK_THROWS_AS(sparse(1, 2, {0, 1}, {2}, {1}), index_error);
  CHECK_THROWS_AS(sparse(1, 2, {0, 1}, {-1}, {1}), index_error);
  CHECK_THROWS_AS(sparse(1, 3, {0, 2}, {1, 1}, {1, 2}), index_error);
  CHECK_THROWS_AS(sparse(1, 3, {0, 2}, {2, 0}, {1, 2}), index_error);
  CHECK_THROWS_WITH(sparse(1, 3, {0, 2}, {2, 0}, {1, 2}), Contains("row 0") && Contains("got 0 after 2"));
}

TEST_CASE("a sparse matrix refuses NaN and infinities", "[sparse_matrix]") {
  CHECK_THROWS_AS(sparse(2, 1, {0, 0, 1}, {0}, {std::nanf("")}), numeric_error);
  CHECK_THROWS_AS(sparse(1, 1, {0, 1}, {0}, {std::numeric_limits<float>::infinity()}), numeric_error);
  CHECK_THROWS_WITH(sparse(2, 1, {0, 0, 1}, {0}, {std::nanf("")}), Contains("row 1") && Contains("finite"));
}
