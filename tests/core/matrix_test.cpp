// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>

#include "graphpatcher/core/matrix.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

TEMPLATE_TEST_CASE("a matrix is row-major, zero at first and on a cache line", "[matrix]", float, double) {
  matrix<TestType> values(3, 5);
  CHECK(values.rows() == 3);
  CHECK(values.cols() == 5);
  CHECK(values.size() == 15);
  CHECK(std::ranges::all_of(values.values(), [](TestType value) { return value == 0; }));
  CHECK(reinterpret_cast<std::uintptr_t>(values.data()) % storage_alignment == 0);
  values(1, 2) = 7;
  CHECK(values.data()[7] == 7);
  CHECK(values.row(1)[2] == 7);
  values.fill(2);
  CHECK(values(2, 4) == 2);
}

TEST_CASE("a matrix can be written down", "[matrix]") {
  const matrix<double> values{{1, 2, 3}, {4, 5, 6}};
  CHECK(values.rows() == 2);
  CHECK(values(1, 0) == 4);
  CHECK(matrix<double>({}).empty());
  const auto ragged = [] { return matrix<double>{{1, 2}, {3}}; };
  CHECK_THROWS_AS(ragged(), shape_error);
  CHECK_THROWS_WITH(ragged(), Contains("2 values, got 1"));
}

TEST_CASE("a matrix too large for memory is an error, not a small matrix", "[matrix]") {
  CHECK_THROWS_AS(matrix<double>(std::size_t{1} << 62, 4), overflow_error);
}

TEST_CASE("a view sees the matrix, and rows of it, without a copy", "[matrix]") {
  matrix<double> values{{1, 2}, {3, 4}, {5, 6}};
  matrix_view<double> view = values;
  view(0, 1) = 9;
  CHECK(values(0, 1) == 9);
  const auto middle = view.middle_rows(1, 3);
  CHECK(middle.rows() == 2);
  CHECK(middle(1, 1) == 6);
  CHECK(middle.data() == values.data() + 2);
  CHECK(view.middle_rows(3, 3).empty());
  CHECK_THROWS_AS(view.middle_rows(1, 4), index_error);
  CHECK_THROWS_AS(view.middle_rows(2, 1), index_error);
  const auto right = view.middle_cols(1, 2);
  CHECK(right.rows() == 3);
  CHECK(right.cols() == 1);
  CHECK(right(2, 0) == 6);
  CHECK_FALSE(right.contiguous());
  CHECK(view.middle_cols(2, 2).empty());
  CHECK_THROWS_AS(view.middle_cols(1, 3), index_error);
  CHECK_THROWS_AS(view.middle_cols(2, 1), index_error);
}

TEST_CASE("a view with a stride skips what lies between its rows", "[matrix]") {
  double numbers[] = {1, 2, -1, 3, 4, -1};
  const matrix_view<const double> view(numbers, 2, 2, 3);
  CHECK_FALSE(view.contiguous());
  CHECK(view(1, 0) == 3);
  CHECK(view.row(1)[1] == 4);
  const auto copy = copy_of(view);
  CHECK(copy(1, 1) == 4);
  CHECK(copy.view().contiguous());
  CHECK(copy.data() != view.data());
}

TEST_CASE("shapes are checked by name", "[matrix]") {
  const matrix<double> values(2, 3);
  CHECK_NOTHROW(expects_shape(values.view(), 2, 3, "bias"));
  CHECK_THROWS_AS(expects_shape(values.view(), 3, 2, "bias"), shape_error);
  CHECK_THROWS_WITH(expects_shape(values.view(), 3, 2, "bias"), "bias: expected 3 x 2, got 2 x 3");
}

TEMPLATE_TEST_CASE("NaN and infinities are found and placed", "[matrix]", float, double) {
  matrix<TestType> values(3, 2);
  CHECK_NOTHROW(expects_finite(values.view(), "features"));
  values(2, 1) = std::numeric_limits<TestType>::quiet_NaN();
  CHECK_THROWS_AS(expects_finite(values.view(), "features"), numeric_error);
  CHECK_THROWS_WITH(expects_finite(values.view(), "features"), Contains("row 2, column 1"));
  values(2, 1) = -std::numeric_limits<TestType>::infinity();
  CHECK_THROWS_AS(expects_finite(values.view(), "features"), numeric_error);
}
