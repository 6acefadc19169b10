// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/feature_table.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/graph/normalise.hpp"
#include "support/compare.hpp"
#include "support/dense_features.hpp"
#include "support/errors.hpp"

using namespace graphpatcher;
using id = std::int32_t;
using table_type = feature_table<float, id>;

TEST_CASE("feature table: sparse rows are taken over as they are", "[feature_table]") {
  CHECK(table_type().rows() == 0);
  CHECK_FALSE(table_type().is_dense());
  const table_type table = sparse_matrix<float, id>(3, 4, {0, 2, 2, 3}, {0, 3, 1}, {1, 2, 0});
  CHECK_FALSE(table.is_dense());
  CHECK(table.rows() == 3);
  CHECK(table.cols() == 4);
  CHECK(table.stored() == 3);
  CHECK(table.bytes() == 3 * 8 + 4 * 4);
  CHECK(table.density() == Approx(2.0 / 12));  // one of the stored numbers is 0
  CHECK(table.sparse().row_columns(0)[1] == 3);
  CHECK(support::same_bits(support::numbers_of(table), matrix<float>{{1, 0, 0, 2}, {0, 0, 0, 0}, {0, 0, 0, 0}}));
  CHECK(support::message_of<argument_error>([&] { table.dense(); }) ==
        "feature table: expected dense features, got sparse ones; read_row() reads both");
  const auto* const columns = table.sparse().columns().data();
  table_type moved = table;
  const auto* const own = moved.sparse().columns().data();
  CHECK(own != columns);
  CHECK(std::move(moved).sparse().columns().data() == own);  // taken out again without a copy
}

TEST_CASE("feature table: dense rows are owned, and copies share them", "[feature_table]") {
  matrix<float> numbers{{1, 0, -2}, {0, 0, 0.5f}};
  const float* const place = numbers.data();
  table_type table = std::move(numbers);
  CHECK(table.is_dense());
  CHECK(table.dense().type() == "float32");
  CHECK(table.dense().visit([](const auto& rows) { return static_cast<const void*>(rows.data()); }) == place);
  const table_type copy = table;
  table = table_type();
  CHECK(support::same_bits(support::numbers_of(copy), matrix<float>{{1, 0, -2}, {0, 0, 0.5f}}));
  CHECK(copy.stored() == 6);
  CHECK(copy.bytes() == 24);
  CHECK(copy.density() == 0.5);
  CHECK(support::message_of<argument_error>([&] { copy.sparse(); }) ==
        "feature table: expected sparse features, got dense ones; for_each_nonzero() reads both");
  std::vector<std::pair<std::size_t, float>> seen;
  copy.for_each_nonzero(0, [&](std::size_t column, float value) { seen.emplace_back(column, value); });
  CHECK(seen == std::vector<std::pair<std::size_t, float>>{{0, 1.0f}, {2, -2.0f}});
}

TEST_CASE("feature table: a view leaves the numbers where they are, and may hold on to their owner",
          "[feature_table]") {
  const std::vector<double> held{1, 2, 99, 3, 4, 99};  // two columns of three
  const table_type table = dense_table::view_of(matrix_view<const double>(held.data(), 2, 2, 3));
  CHECK(table.dense().type() == "float64");
  CHECK(table.dense().visit([](const auto& rows) { return static_cast<const void*>(rows.data()); }) == held.data());
  CHECK(support::same_bits(support::numbers_of(table), matrix<float>{{1, 2}, {3, 4}}));
  CHECK(table.bytes() == 32);

  auto owner = std::make_shared<std::vector<float>>(6, 7.0f);
  const std::weak_ptr<std::vector<float>> watch = owner;
  table_type kept = dense_table::view_of(matrix_view<const float>(owner->data(), 3, 2), owner);
  owner.reset();
  CHECK_FALSE(watch.expired());
  kept = table_type();
  CHECK(watch.expired());
}

TEMPLATE_TEST_CASE("feature table: numbers of every type are read as T", "[feature_table]", float, double, float16,
                   bfloat16) {
  const auto single = support::dense_features<float, TestType>(9, 11, 3);
  const auto twofold = support::dense_features<double, TestType>(9, 11, 3);
  const auto numbers = support::random_matrix<double>(9, 11, 3);
  const double fine = std::is_same_v<TestType, bfloat16>  ? 0x1p-8
                      : std::is_same_v<TestType, float16> ? 0x1p-11
                                                          : 0x1p-24;
  for (std::size_t r = 0; r < 9; ++r) {
    std::vector<float> row(11);
    single.read_row(r, row);
    std::vector<double> wide(11);
    twofold.read_row(r, wide);
    for (std::size_t c = 0; c < 11; ++c) {
      const double expected = (r * 7 + c * 3) % 5 == 0 ? 0.0 : numbers(r, c);
      CHECK(std::abs(static_cast<double>(row[c]) - expected) <= fine);
      CHECK(std::abs(wide[c] - expected) <= fine);
      CHECK(static_cast<float>(wide[c]) == row[c]);
    }
  }
  CHECK(single == support::made_sparse(single));
}

TEST_CASE("feature table: equal are tables of the same numbers, however they are stored", "[feature_table]") {
  const table_type sparse = sparse_matrix<float, id>(2, 3, {0, 1, 3}, {2, 0, 1}, {0.5f, 1, -2});
  const table_type dense = matrix<float>{{0, 0, 0.5f}, {1, -2, 0}};
  const table_type half = support::dense_features<float, float16>(4, 5, 1);
  CHECK(sparse == dense);
  CHECK(dense == sparse);
  CHECK(sparse != table_type(matrix<float>{{0, 0, 0.5f}, {1, -2, 1}}));
  CHECK(sparse != table_type(matrix<float>{{0, 0, 0.5f}}));
  CHECK(half == half);
  CHECK(half != dense);
}

TEST_CASE("feature table: every half is the number it stands for", "[feature_table][narrow]") {
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const float16 half{static_cast<std::uint16_t>(bits)};
    const double size = (bits & 0x7C00u) == 0
                            ? std::ldexp(bits & 0x3FFu, -24)
                            : std::ldexp(1024 + (bits & 0x3FFu), static_cast<int>(bits >> 10 & 31) - 25);
    if ((bits & 0x7C00u) == 0x7C00u) {
      CHECK_FALSE(std::isfinite(to_float(half)));
    } else if (static_cast<double>(to_float(half)) != ((bits & 0x8000u) != 0 ? -size : size)) {
      FAIL("half " << bits << " became " << to_float(half));
    }
  }
}

TEST_CASE("feature table: what isn't finite as a T is refused with its place", "[feature_table]") {
  matrix<float> numbers(3, 4);
  numbers(1, 2) = std::nanf("");
  CHECK(support::message_of<numeric_error>([&] { table_type(matrix<float>(numbers)); }) ==
        "feature table: row 1, column 2: expected finite numbers, got nan");
  matrix<float16> half(2, 2);
  half(1, 0) = {0x7C00};
  CHECK_THROWS_AS(table_type(std::move(half)), numeric_error);
  matrix<bfloat16> upper(2, 2);
  upper(0, 1) = {0xFF80};
  CHECK_THROWS_AS(table_type(std::move(upper)), numeric_error);
  const matrix<double> large{{1, 1e39}};
  CHECK_THROWS_AS(table_type(matrix<double>(large)), numeric_error);  // no float
  CHECK_NOTHROW(feature_table<double, id>(matrix<double>(large)));
}

TEST_CASE("feature table: views and rows of the wrong size are refused", "[feature_table]") {
  const std::vector<float> held(6);
  CHECK(support::message_of<shape_error>([&] {
          dense_table::view_of(matrix_view<const float>(held.data(), 2, 3, 2));
        }) == "dense table: expected a stride of at least 3, the number of columns, got 2");
  CHECK_THROWS_AS(dense_table::view_of(matrix_view<const float>(nullptr, 2, 3)), argument_error);
  CHECK_NOTHROW(dense_table::view_of(matrix_view<const float>()));
  const table_type table = matrix<float>{{1, 2}};
  std::vector<float> narrow(1), right(2);
  CHECK_THROWS_AS(table.read_row(0, narrow), shape_error);
  CHECK_THROWS_AS(table.read_row(1, right), shape_error);
}

TEST_CASE("feature table: dense rows are divided by their sums too", "[feature_table][normalise]") {
  const table_type dense = matrix<double>{{1, 0, 3}, {0, 0, 0}, {2, -2, 0}, {0.5, 0.25, 0.25}};
  const table_type sparse = support::made_sparse(dense);
  const table_type result = normalise_rows(dense);
  CHECK(result.is_dense());
  CHECK(result == normalise_rows(sparse));
  CHECK(support::same_bits(support::numbers_of(result),
                           matrix<float>{{0.25f, 0, 0.75f}, {0, 0, 0}, {2, -2, 0}, {0.5f, 0.25f, 0.25f}}));
}
