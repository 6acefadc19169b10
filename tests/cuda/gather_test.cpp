// SPDX-License-Identifier: MIT
// Rows by id on a GPU: reading them, and adding to them.
#include "graphpatcher/ops/gather.hpp"

#include <catch2/catch.hpp>
#include <span>
#include <tuple>
#include <vector>

#include "cuda/support/like_cpu.hpp"
#include "support/compare.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using namespace gp::test;
using random_input::values;

namespace {

/// Some of `rows` ids, in no order.
template <class I>
std::vector<I> mixed_ids(std::size_t count, std::size_t rows) {
  std::vector<I> ids(count);
  for (std::size_t i = 0; i < count; ++i) {
    ids[i] = static_cast<I>((i * i * 7 + i) % rows);
  }
  return ids;
}

/// counts[r] times id r, far apart.
template <class I>
std::vector<I> ids_with_counts(std::vector<std::size_t> counts) {
  std::vector<I> ids;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      if (counts[r] > 0) {
        ids.push_back(static_cast<I>(r));
        --counts[r];
        more = true;
      }
    }
  }
  return ids;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("gather_rows on a GPU copies rows", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  // ids, rows of the table, columns, columns beside those
  const std::vector<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>> cases{
      {0, 5, 8, 0},   {1, 1, 1, 0},   {300, 7, 1, 0},   {33, 20, 3, 0}, {31, 20, 7, 1},  {100, 9, 32, 0},
      {40, 9, 33, 3}, {40, 9, 64, 4}, {17, 40, 130, 0}, {9, 5, 256, 2}, {3, 4, 1024, 0}, {5, 4, 2, 1}};
  for (const auto& [count, rows, cols, gap] : cases) {
    INFO(count << " of " << rows << " rows, " << cols << " columns, gap " << gap);
    const auto ids = mixed_ids<I>(count, rows);
    const matrices<T> start{values<T>(rows, cols + 2 * gap, 1), values<T>(count, cols + 2 * gap, 2)};
    check_like_cpu(start, 0, [&, gap = gap](const gp::executor& exec, matrices<T>& m) {
      gp::gather_rows<T, I>(exec, inner(m[0], gap), ids, inner(m[1], gap));
    });
  }
}

TEMPLATE_LIST_TEST_CASE("scatter_add_rows on a GPU adds rows that have the same id", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const auto check = [](const std::vector<I>& ids, std::size_t rows, std::size_t cols, std::size_t gap) {
    INFO(ids.size() << " rows to add to " << rows << ", " << cols << " columns, gap " << gap);
    const matrices<T> start{values<T>(ids.size(), cols + 2 * gap, 1), values<T>(rows, cols + 2 * gap, 2)};
    // at most all ids are the same, and the row they are added to is one more term
    check_like_cpu(start, rounding<T>(ids.size() + 1), [&](const gp::executor& exec, matrices<T>& m) {
      gp::scatter_add_rows<T, I>(exec, inner(m[0], gap), ids, inner(m[1], gap));
    });
  };
  check({}, 3, 4, 0);
  check({2}, 3, 1, 0);
  check(mixed_ids<I>(40, 50), 50, 3, 1);
  check(mixed_ids<I>(300, 33), 33, 7, 0);
  check(mixed_ids<I>(64, 5), 5, 32, 0);
  check(mixed_ids<I>(64, 5), 5, 33, 1);
  check(mixed_ids<I>(64, 129), 129, 64, 4);
  check(mixed_ids<I>(20, 6), 6, 130, 0);
  check(mixed_ids<I>(10, 6), 6, 256, 0);
  // what is added up in one go, and in pieces; row 1 gets nothing
  const auto many = ids_with_counts<I>({1, 0, 512, 513, 2, 768, 769, 1300});
  check(many, 9, 5, 0);
  check(many, 9, 8, 4);
}

TEMPLATE_TEST_CASE("scatter_add_rows on a GPU, by hand and with a factor", "[cuda]", float, double) {
  using T = TestType;
  const std::vector<int> ids{2, 0, 2};
  const auto x = to_gpu(gp::matrix<T>{{1, 2}, {3, 4}, {5, 6}});
  auto sums = to_gpu(gp::matrix<T>{{100, 100}, {200, 200}, {300, 300}});
  gp::backend::scatter_add_rows<T, int>(gpu(), x, ids, T(-2), sums);
  CHECK(support::same_bits(to_host(sums), gp::matrix<T>{{94, 92}, {200, 200}, {288, 284}}));
}

TEST_CASE("ids that are no rows are refused before they reach a GPU", "[cuda]") {
  const std::vector<int> ids{0, 4};
  const std::vector<int> negative{-1, 0};
  const gp::matrix<float> x(gpu(), 4, 3);
  gp::matrix<float> out(gpu(), 2, 3);
  gp::matrix<float> sums(gpu(), 4, 3);
  CHECK_THROWS_AS((gp::gather_rows<float, int>(gpu(), x, ids, out)), gp::index_error);
  CHECK_THROWS_AS((gp::gather_rows<float, int>(gpu(), x, negative, out)), gp::index_error);
  CHECK_THROWS_AS((gp::scatter_add_rows<float, int>(gpu(), out, ids, sums)), gp::index_error);
}
