// SPDX-License-Identifier: MIT
// Every precondition of core/ that can be broken, and the typed error it gets.
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "graphpatcher/core/arena.hpp"
#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/dense_table.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"

using namespace graphpatcher;
using sparse = sparse_matrix<float, std::int32_t>;

namespace {

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
constexpr std::size_t half = huge / 2 + 1;  // twice of it is 0

}  // namespace

TEST_CASE("sizes are multiplied and added without wrapping", "[core][misuse]") {
  CHECK(checked_product("x", 3, 4, 5) == 60);
  CHECK(checked_product<double>("x", huge, 0) == 0);
  CHECK(checked_product<double>("x", 0, huge, huge) == 0);
  CHECK(checked_product("x") == 1);
  constexpr auto most = static_cast<std::size_t>(PTRDIFF_MAX);
  CHECK(checked_product("x", most) == most);
  CHECK(checked_product<double>("x", most / 8) == most / 8);
  CHECK_THROWS_AS(checked_product("x", most + 1), overflow_error);
  CHECK_THROWS_AS(checked_product<double>("x", most / 8 + 1), overflow_error);
  CHECK_THROWS_AS(checked_product("x", half, 2), overflow_error);        // wraps to 0
  CHECK_THROWS_AS(checked_product("x", half + 1, 2), overflow_error);    // to 2
  CHECK_THROWS_AS(checked_product("x", huge, 3, 1), overflow_error);     // to 2^64 - 3
  CHECK_THROWS_AS(checked_product("x", 1, huge, huge), overflow_error);  // to 1
  CHECK_THROWS_WITH(checked_product("masks", half, std::size_t{4}),
                    "masks: 9223372036854775808 x 4 values do not fit into memory");

  CHECK(checked_sum("x", 1, 2, 3) == 6);
  CHECK(checked_sum("x", most - 1, 1) == most);
  CHECK_THROWS_AS(checked_sum("x", most, 1), overflow_error);
  CHECK_THROWS_WITH(checked_sum("rows", huge, 1), "rows: 18446744073709551615 + 1 do not fit into memory");
}

TEST_CASE("memory whose size wraps is refused before it is taken", "[core][misuse]") {
  CHECK_THROWS_AS(matrix<float>(half, 2), overflow_error);
  CHECK_THROWS_AS(matrix<float>(huge, 1), overflow_error);
  CHECK_THROWS_WITH(matrix<float>(huge / 4 + 2, 1), Catch::Contains("matrix: 4611686018427387905 x 1"));
  CHECK(matrix<float>(huge, 0).rows() == huge);
  CHECK_THROWS_AS(buffer<double>(cpu{}, huge / 8 + 2), overflow_error);
  arena scratch;
  CHECK_THROWS_AS(scratch.allocate<double>(huge / 8 + 2), overflow_error);
  CHECK_THROWS_AS(scratch.allocate_matrix<float>(half, 2), overflow_error);
}

TEST_CASE("a sparse matrix whose size wraps is refused", "[core][misuse]") {
  CHECK_THROWS_AS(sparse(huge, 5, {}, {}, {}), shape_error);
  CHECK_THROWS_AS(sparse(0, 5, {}, {}, {}), shape_error);
  CHECK_THROWS_AS(sparse(1, huge, {0, 0}, {}, {}), overflow_error);
  CHECK_THROWS_AS(sparse(1, std::size_t{1} << 31, {0, 0}, {}, {}), overflow_error);
  CHECK(sparse(1, (std::size_t{1} << 31) - 1, {0, 0}, {}, {}).rows() == 1);
}

TEST_CASE("a view of nothing has no numbers", "[core][misuse]") {
  float* const nothing = nullptr;
  CHECK_THROWS_AS(matrix_view<float>(nothing, 2, 3), argument_error);
  CHECK_THROWS_AS(matrix_view<const float>(nothing, 2, 3, 8), argument_error);
  CHECK(matrix_view<float>(nothing, 0, 3).empty());
  CHECK(matrix_view<float>(nothing, 3, 0).empty());
  float number = 1;
  const matrix_view<float> one(&number, 1, 1);
  CHECK_THROWS_AS(one.middle_rows(0, 2), index_error);
  CHECK_THROWS_AS(one.middle_rows(1, 0), index_error);
  CHECK_THROWS_AS(one.middle_cols(0, 2), index_error);
}

TEST_CASE("what was moved from is empty, and says so", "[core][misuse]") {
  matrix<float> numbers{{1, 2}, {3, 4}};
  const auto taken = std::move(numbers);
  CHECK(taken(1, 1) == 4);
  CHECK(numbers.rows() == 0);  // NOLINT: that is the question
  CHECK(numbers.cols() == 0);
  CHECK(numbers.view().empty());
  CHECK_THROWS_AS(expects_shape(numbers.view(), 2, 2, "it"), shape_error);
  numbers = taken;
  CHECK(numbers(1, 0) == 3);
  matrix<float> other;
  other = std::move(numbers);
  CHECK(numbers.rows() == 0);

  sparse rows(2, 3, {0, 1, 2}, {0, 2}, {1, 2});
  const auto taken_rows = std::move(rows);
  CHECK(taken_rows.row_columns(1)[0] == 2);
  CHECK(rows.rows() == 0);
  CHECK(rows.cols() == 0);
  CHECK(rows.nonzeros() == 0);
  sparse released(2, 3, {0, 1, 2}, {0, 2}, {1, 2});
  CHECK(std::move(released).release_columns().size() == 2);
  CHECK(released.rows() == 0);

  dense_table table(matrix<float>{{1, 2}});
  const auto taken_table = std::move(table);
  CHECK(taken_table.rows() == 1);
  CHECK(table.rows() == 0);
  CHECK(table.cols() == 0);
}

TEST_CASE("an executor that was moved from can still be asked where it is", "[core][misuse]") {
  executor exec = cpu{.threads = 3};
  const executor taken = std::move(exec);
  CHECK(exec.host().threads == 3);
  CHECK_THROWS_AS(device(nullptr), backend_error);
}
