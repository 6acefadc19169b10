// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/sparse_gemm.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/random_matrix.hpp"

using namespace graphpatcher;
using support::random_matrix;
using support::same_bits;

namespace {

/// One element in five is not zero; row 2 is empty.
template <class T>
matrix<T> mostly_zero(std::size_t rows, std::size_t cols, unsigned seed) {
  auto result = random_matrix<T>(rows, cols, seed);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      if (r == 2 || (r * 7 + c * 3) % 5 != 0) {
        result(r, c) = 0;
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("sparse_gemm: a product with sparse rows by hand", "[sparse_gemm]") {
  const feature_table table = sparse_from_dense<std::int32_t>(matrix<float>{{0, 2, 0}, {1, 0, -1}}.view());
  const matrix<float> w{{1, 10}, {2, 20}, {3, 30}};
  const std::vector<std::int32_t> ids{1, -1, 0, 1};
  const feature_rows<float, std::int32_t> x{&table, ids};
  matrix<float> y(4, 2);
  y.fill(77);
  sparse_gemm(cpu{1}, x, w, y.view());
  CHECK(same_bits(y, matrix<float>{{-2, -20}, {0, 0}, {4, 40}, {-2, -20}}));

  matrix<float> dw{{100, 100}, {100, 100}, {100, 100}};
  sparse_gemm_adjoint(cpu{1}, x, matrix<float>{{1, 2}, {50, 50}, {3, 4}, {5, 6}}, dw.view());
  CHECK(same_bits(dw, matrix<float>{{106, 108}, {106, 108}, {94, 92}}));

  matrix<float> dense(4, 3);
  dense.fill(77);
  sparse_to_dense(cpu{1}, x, dense.view());
  CHECK(same_bits(dense, matrix<float>{{1, 0, -1}, {0, 0, 0}, {0, 2, 0}, {1, 0, -1}}));
}

TEMPLATE_TEST_CASE("sparse_gemm: agrees with the dense loops, in any batch and on any threads", "[sparse_gemm]",
                   std::int32_t, std::int64_t) {
  const auto dense = mostly_zero<double>(30, 101, 1);
  const feature_table table = sparse_from_dense<TestType>(dense.view());
  const auto w = random_matrix<double>(101, 67, 2);
  const auto g = random_matrix<double>(40, 67, 3);
  std::vector<TestType> ids(40);
  for (std::size_t r = 0; r < 40; ++r) {
    ids[r] = static_cast<TestType>((r * 11) % 30);
  }
  matrix<double> expected(40, 67);
  matrix<double> expected_dw(101, 67);
  for (std::size_t r = 0; r < 40; ++r) {
    for (std::size_t k = 0; k < 101; ++k) {
      for (std::size_t c = 0; c < 67; ++c) {
        const double value = dense(static_cast<std::size_t>(ids[r]), k);
        expected(r, c) += value * w(k, c);
        expected_dw(k, c) += value * g(r, c);
      }
    }
  }
  const feature_rows<double, TestType> x{&table, ids};
  matrix<double> y(40, 67);
  matrix<double> dw(101, 67);
  sparse_gemm(cpu{1}, x, w, y.view());
  sparse_gemm_adjoint(cpu{1}, x, g, dw.view());
  CHECK(support::largest_difference(y, expected) < 1e-13);
  CHECK(support::largest_difference(dw, expected_dw) < 1e-13);
  for (const int threads : {2, 3, 8}) {
    matrix<double> again(40, 67);
    matrix<double> dw_again(101, 67);
    sparse_gemm(cpu{threads}, x, w, again.view());
    sparse_gemm_adjoint(cpu{threads}, x, g, dw_again.view());
    CHECK(same_bits(y, again));
    CHECK(same_bits(dw, dw_again));
  }
  matrix<double> part(7, 67);
  sparse_gemm(cpu{2}, feature_rows<double, TestType>{&table, std::span<const TestType>(ids).subspan(20, 7)}, w,
              part.view());
  CHECK(same_bits(part, y.view().middle_rows(20, 27)));
}

TEST_CASE("sparse_gemm: large enough to be shared out among threads", "[sparse_gemm]") {
  const feature_table table = sparse_from_dense<std::int32_t>(mostly_zero<float>(500, 200, 4).view());
  std::vector<std::int32_t> ids(500);
  for (std::size_t r = 0; r < 500; ++r) {
    ids[r] = static_cast<std::int32_t>(499 - r);
  }
  const feature_rows<float, std::int32_t> x{&table, ids};
  const auto w = random_matrix<float>(200, 131, 5);
  const auto g = random_matrix<float>(500, 131, 6);
  const auto run = [&](int threads) {
    matrix<float> y(500, 131);
    matrix<float> dw(200, 131);
    sparse_gemm(cpu{threads}, x, w, y.view());
    sparse_gemm_adjoint(cpu{threads}, x, g, dw.view());
    return std::make_pair(std::move(y), std::move(dw));
  };
  const auto one = run(1);
  for (const int threads : {2, 3}) {
    const auto many = run(threads);
    CHECK(same_bits(one.first, many.first));
    CHECK(same_bits(one.second, many.second));
  }
}

TEST_CASE("sparse_gemm: tables that no cache keeps, taken in strips of columns, give the bits of their parts",
          "[sparse_gemm]") {
  const std::size_t wide = 4500;  // rows of w and of the gradient: 1000 x 4500 floats are 18 MB
  const feature_table table = sparse_from_dense<std::int32_t>(mostly_zero<float>(1000, 1000, 7).view());
  std::vector<std::int32_t> ids(1000);
  std::iota(ids.begin(), ids.end(), 0);
  const feature_rows<float, std::int32_t> x{&table, ids};
  const auto w = random_matrix<float>(1000, wide, 8);
  matrix<float> y(1000, wide);
  matrix<float> dw(1000, wide);
  sparse_gemm(cpu{2}, x, w, y.view());
  sparse_gemm_adjoint(cpu{2}, x, w, dw.view());
  for (const std::size_t begin : {std::size_t{0}, std::size_t{200}, wide - 200}) {
    const auto part = copy_of(w.view().middle_cols(begin, begin + 200));  // small enough for one strip
    matrix<float> y_part(1000, 200);
    matrix<float> dw_part(1000, 200);
    sparse_gemm(cpu{1}, x, part, y_part.view());
    sparse_gemm_adjoint(cpu{1}, x, part, dw_part.view());
    CHECK(same_bits(y_part, copy_of(matrix_view<const float>(y.view().middle_cols(begin, begin + 200)))));
    CHECK(same_bits(dw_part, copy_of(matrix_view<const float>(dw.view().middle_cols(begin, begin + 200)))));
  }
}

TEST_CASE("sparse_gemm: values of its own stand in for the table's", "[sparse_gemm]") {
  const feature_table table = sparse_from_dense<std::int32_t>(matrix<float>{{0, 2, 0}, {1, 0, -1}}.view());
  const std::vector<std::int32_t> ids{1, 0};
  const std::vector<float> values{5, 7, 9};
  const std::vector<std::size_t> offsets{0, 2};
  const feature_rows<float, std::int32_t> x{&table, ids, values, offsets};
  matrix<float> dense(2, 3);
  sparse_to_dense(cpu{1}, x, dense.view());
  CHECK(same_bits(dense, matrix<float>{{5, 0, 7}, {0, 9, 0}}));
}

TEST_CASE("sparse_gemm: bad ids, values and sizes are refused", "[sparse_gemm]") {
  const feature_table table = sparse_from_dense<std::int32_t>(matrix<float>{{0, 2, 0}, {1, 0, -1}}.view());
  const std::vector<std::int32_t> ids{1, 0};
  const feature_rows<float, std::int32_t> x{&table, ids};
  const matrix<float> w(3, 4);
  matrix<float> y(2, 4);
  matrix<float> wrong(3, 5);
  CHECK_THROWS_AS(sparse_gemm(cpu{1}, x, matrix<float>(2, 4), y.view()), shape_error);
  CHECK_THROWS_AS(sparse_gemm(cpu{1}, x, w, wrong.view()), shape_error);
  CHECK_THROWS_AS(sparse_gemm_adjoint(cpu{1}, x, matrix<float>(3, 4), y.view()), shape_error);
  CHECK_THROWS_AS(sparse_gemm_adjoint(cpu{1}, x, matrix<float>(2, 4), y.view()), shape_error);
  CHECK_THROWS_AS(sparse_to_dense(cpu{1}, x, wrong.view()), shape_error);
  for (const std::int32_t bad : {-2, 2}) {
    const std::vector<std::int32_t> bad_ids{0, bad};
    CHECK_THROWS_AS(sparse_gemm(cpu{1}, feature_rows<float, std::int32_t>{&table, bad_ids}, w, y.view()), index_error);
  }
  const std::vector<std::int32_t> beyond{0, 2};
  CHECK(support::message_of<index_error>([&] {
          sparse_gemm(cpu{1}, feature_rows<float, std::int32_t>{&table, beyond}, w, y.view());
        }) == "sparse_gemm: expected ids in [-1, 2), got 2 at position 1");
  CHECK_THROWS_AS(sparse_gemm(cpu{1}, feature_rows<float, std::int32_t>{nullptr, ids}, w, y.view()), argument_error);
  const std::vector<float> values{5, 7};
  const std::vector<std::size_t> offsets{0, 2};
  const std::vector<std::size_t> few{0};
  CHECK_THROWS_AS(sparse_gemm(cpu{1}, feature_rows<float, std::int32_t>{&table, ids, values, offsets}, w, y.view()),
                  shape_error);
  CHECK_THROWS_AS(sparse_gemm(cpu{1}, feature_rows<float, std::int32_t>{&table, ids, values, few}, w, y.view()),
                  shape_error);
}
