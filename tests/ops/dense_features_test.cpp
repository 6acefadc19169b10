// SPDX-License-Identifier: MIT
// Every operation on rows of features takes dense tables as it takes sparse ones.
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "graphpatcher/ops/dropout.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"
#include "support/compare.hpp"
#include "support/dense_features.hpp"
#include "support/errors.hpp"

using namespace graphpatcher;
using id = std::int32_t;
using support::random_matrix;
using support::same_bits;

namespace {

/// Rows in no order, with repeats, and every seventh a row of zeros.
std::vector<id> some_ids(std::size_t count, std::size_t rows) {
  std::vector<id> ids(count);
  for (std::size_t r = 0; r < count; ++r) {
    ids[r] = r % 7 == 6 ? -1 : static_cast<id>((r * 11) % rows);
  }
  return ids;
}

struct products {
  matrix<float> forward, adjoint, dense;
};

template <class T>
products all_products(const feature_table<float, id>& table, const std::vector<id>& ids, std::size_t cols, T exec) {
  const feature_rows<float, id> x{&table, ids};
  products result{matrix<float>(ids.size(), cols), random_matrix<float>(table.cols(), cols, 7),
                  matrix<float>(ids.size(), table.cols())};
  result.forward.fill(77);
  result.dense.fill(77);
  sparse_gemm(exec, x, random_matrix<float>(table.cols(), cols, 5), result.forward.view());
  sparse_gemm_adjoint(exec, x, random_matrix<float>(ids.size(), cols, 6), result.adjoint.view());
  sparse_to_dense(exec, x, result.dense.view());
  return result;
}

}  // namespace

TEST_CASE("dense features: a product by hand", "[dense_features]") {
  const feature_table<float, id> table = matrix<float>{{0, 2, 0}, {1, 0, -1}};
  const std::vector<id> ids{1, -1, 0, 1};
  const feature_rows<float, id> x{&table, ids};
  matrix<float> y(4, 2);
  sparse_gemm(cpu{1}, x, matrix<float>{{1, 10}, {2, 20}, {3, 30}}, y.view());
  CHECK(same_bits(y, matrix<float>{{-2, -20}, {0, 0}, {4, 40}, {-2, -20}}));
  matrix<float> dw{{100, 100}, {100, 100}, {100, 100}};
  sparse_gemm_adjoint(cpu{1}, x, matrix<float>{{1, 2}, {50, 50}, {3, 4}, {5, 6}}, dw.view());
  CHECK(same_bits(dw, matrix<float>{{106, 108}, {106, 108}, {94, 92}}));
}

TEMPLATE_TEST_CASE(
    "dense features: products in every type are those of the gathered rows, bit for bit, and of sparse "
    "rows to rounding",
    "[dense_features]", float, double, float16, bfloat16) {
  // fewer and more than a block, a tile and a piece of the sum
  const auto [rows, features, count, cols] =
      GENERATE(std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>{30, 101, 40, 67},
               std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>{50, 700, 450, 9},
               std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>{5, 1, 3, 1});
  const auto table = support::dense_features<float, TestType>(rows, features, 1);
  const auto ids = some_ids(count, rows);
  const auto got = all_products(table, ids, cols, cpu{1});

  matrix<float> gathered(count, features);
  for (std::size_t r = 0; r < count; ++r) {
    if (ids[r] >= 0) {
      table.read_row(static_cast<std::size_t>(ids[r]), gathered.row(r));
    }
  }
  CHECK(same_bits(got.dense, gathered));
  matrix<float> forward(count, cols);
  gemm<float>(cpu{1}, gathered, random_matrix<float>(features, cols, 5), forward.view());
  CHECK(same_bits(got.forward, forward));
  auto adjoint = random_matrix<float>(features, cols, 7);
  gemm_atb_add<float>(cpu{1}, gathered, random_matrix<float>(count, cols, 6), adjoint.view());
  CHECK(same_bits(got.adjoint, adjoint));

  const auto sparse = all_products(support::made_sparse(table), ids, cols, cpu{2});
  const double rounding = 0x1p-23 * static_cast<double>(std::max(features, count));
  CHECK(same_bits(got.dense, sparse.dense));
  CHECK(support::largest_difference(got.forward, sparse.forward) < rounding);
  CHECK(support::largest_difference(got.adjoint, sparse.adjoint) < rounding);
}

TEST_CASE("dense features: the same bits for any number of threads and wherever a row stands", "[dense_features]") {
  const auto table = support::dense_features<float, float16>(500, 200, 4);
  const auto ids = some_ids(900, 500);
  const auto one = all_products(table, ids, 131, cpu{1});
  for (const int threads : {2, 3, 8}) {
    const auto many = all_products(table, ids, 131, cpu{threads});
    CHECK(same_bits(one.forward, many.forward));
    CHECK(same_bits(one.adjoint, many.adjoint));
  }
  const std::vector<id> some(ids.begin() + 411, ids.begin() + 418);
  const auto part = all_products(table, some, 131, cpu{2});
  CHECK(same_bits(part.forward, one.forward.view().middle_rows(411, 418)));
}

TEMPLATE_TEST_CASE("dense features: dropout is that of dense rows keyed by the ids", "[dense_features]", float, float16,
                   bfloat16) {
  const dropout_options half{random_stream(5, purpose::dropout), 0.5};
  const auto table = support::dense_features<float, TestType>(6, 37, 2);
  const std::vector<id> ids{3, -1, 0, 3, 5};
  feature_rows<float, id> x{&table, ids};
  const std::vector<std::size_t> offsets{2, 39, 40, 77, 120};  // not at 0, and not without gaps
  std::vector<float> values(157, 99.0f);
  sparse_dropout(cpu{2}, half, x, offsets, std::span<float>(values));
  CHECK(values[1] == 99.0f);
  CHECK(values[39] == 99.0f);
  CHECK(values[114] == 99.0f);

  matrix<float> gathered(5, 37), expected(5, 37), dense(5, 37);
  sparse_to_dense(cpu{1}, x, gathered.view());
  dropout(cpu{1}, half, std::span<const id>(ids), gathered, expected.view());
  x.values = values;
  x.value_offsets = offsets;
  sparse_to_dense(cpu{1}, x, dense.view());
  CHECK(support::largest_difference(dense, expected) == 0);
  CHECK(same_bits(dense.view().middle_rows(0, 1), dense.view().middle_rows(3, 4)));

  // the products are those of what is left
  const auto w = random_matrix<float>(37, 21, 3);
  matrix<float> y(5, 21), y_expected(5, 21);
  sparse_gemm(cpu{2}, x, w, y.view());
  gemm<float>(cpu{1}, dense, w, y_expected.view());
  CHECK(same_bits(y, y_expected));
  const auto g = random_matrix<float>(5, 21, 4);
  matrix<float> dw(37, 21), dw_expected(37, 21);
  sparse_gemm_adjoint(cpu{2}, x, g, dw.view());
  gemm_atb_add<float>(cpu{1}, dense, g, dw_expected.view());
  CHECK(same_bits(dw, dw_expected));

  // and what dropped rows are dropped from again are their own values
  std::vector<float> again(157);
  sparse_dropout(cpu{1}, {random_stream(6, purpose::dropout), 0.5}, x, offsets, std::span<float>(again));
  for (std::size_t i = 2; i < 39; ++i) {
    CHECK((again[i] == 0 || again[i] == 2 * values[i]));
  }
}

TEST_CASE("dense features: ids and values that do not fit are refused", "[dense_features]") {
  const feature_table<float, id> table = matrix<float>{{0, 2, 0}, {1, 0, -1}};
  const auto w = random_matrix<float>(3, 2, 1);
  matrix<float> y(1, 2);
  const auto product = [&](const feature_rows<float, id>& x) { sparse_gemm(cpu{1}, x, w, y.view()); };
  const std::vector<id> beyond{2}, right{1};
  CHECK_THROWS_AS(product({&table, beyond}), index_error);
  const std::vector<float> values(4);
  const std::vector<std::size_t> offsets{2};
  CHECK(support::message_of<shape_error>([&] {
          product({&table, right, values, offsets});
        }) == "sparse_gemm: row 0 has 3 numbers from position 2, but there are 4 values");
  matrix<float> wrong(2, 2);
  CHECK_THROWS_AS(sparse_gemm(cpu{1}, feature_rows<float, id>{&table, right}, wrong, y.view()), shape_error);
}
