// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/gather.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/random_matrix.hpp"

using namespace graphpatcher;
using support::random_matrix;
using support::same_bits;

TEMPLATE_TEST_CASE("gather: gather and scatter by hand", "[gather]", std::int32_t, std::int64_t) {
  const matrix<float> x{{1, 2}, {3, 4}, {5, 6}};
  const std::vector<TestType> ids{2, 0, 2, 2};
  const std::span<const TestType> span(ids);
  matrix<float> y(4, 2);
  gather_rows(cpu{1}, x, span, y.view());
  CHECK(same_bits(y, matrix<float>{{5, 6}, {1, 2}, {5, 6}, {5, 6}}));
  matrix<float> back{{100, 100}, {100, 100}, {100, 100}};
  scatter_add_rows(cpu{1}, y, span, back.view());
  CHECK(same_bits(back, matrix<float>{{101, 102}, {100, 100}, {115, 118}}));
}

TEST_CASE("gather: equal ids add up in their order, for any number of threads", "[gather]") {
  std::mt19937 random(1);
  std::vector<std::int32_t> ids(2000);
  for (auto& id : ids) {
    id = static_cast<std::int32_t>(random() % 17);
  }
  const auto x = random_matrix<float>(2000, 150, 2);
  matrix<float> expected(17, 150);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t c = 0; c < 150; ++c) {
      expected(static_cast<std::size_t>(ids[i]), c) += x(i, c);
    }
  }
  for (const int threads : {1, 2, 3, 8}) {
    matrix<float> sums(17, 150);
    scatter_add_rows(cpu{threads}, x, std::span<const std::int32_t>(ids), sums.view());
    CHECK(same_bits(sums, expected));
    matrix<float> gathered(2000, 150);
    gather_rows(cpu{threads}, expected, std::span<const std::int32_t>(ids), gathered.view());
    CHECK(same_bits(
        gathered.view().middle_rows(1999, 2000),
        expected.view().middle_rows(static_cast<std::size_t>(ids[1999]), static_cast<std::size_t>(ids[1999]) + 1)));
  }
}

TEST_CASE("gather: ids outside the matrix and sizes that do not fit are refused", "[gather]") {
  const matrix<float> x(3, 2);
  matrix<float> y(2, 2);
  matrix<float> wrong(2, 3);
  const std::vector<std::int32_t> good{0, 2};
  const std::span<const std::int32_t> ids(good);
  for (const std::int32_t bad : {-1, 3, 1 << 30}) {
    const std::vector<std::int32_t> with_bad{0, bad};
    CHECK_THROWS_AS(gather_rows(cpu{1}, x, std::span<const std::int32_t>(with_bad), y.view()), index_error);
    CHECK_THROWS_AS(scatter_add_rows(cpu{1}, matrix<float>(2, 2), std::span<const std::int32_t>(with_bad), y.view()),
                    index_error);
  }
  const std::vector<std::int32_t> three{0, 3};
  CHECK(support::message_of<index_error>([&] {
          gather_rows(cpu{1}, x, std::span<const std::int32_t>(three), y.view());
        }) == "gather_rows: expected ids in [0, 3), got 3 at position 1");
  CHECK_THROWS_AS(gather_rows(cpu{1}, x, ids, wrong.view()), shape_error);
  matrix<float> sums(3, 2);
  CHECK_THROWS_AS(scatter_add_rows(cpu{1}, matrix<float>(3, 2), ids, sums.view()), shape_error);
  CHECK_THROWS_AS(scatter_add_rows(cpu{1}, matrix<float>(2, 3), ids, sums.view()), shape_error);
}
