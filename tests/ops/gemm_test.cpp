// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/gemm.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/random_matrix.hpp"

using namespace graphpatcher;
using support::random_matrix;
using support::same_bits;

namespace {

matrix<double> transposed(const matrix<double>& a) {
  matrix<double> result(a.cols(), a.rows());
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.cols(); ++c) {
      result(c, r) = a(r, c);
    }
  }
  return result;
}

template <class T>
matrix<double> in_double(const matrix<T>& a) {
  matrix<double> result(a.rows(), a.cols());
  std::copy(a.values().begin(), a.values().end(), result.values().begin());
  return result;
}

matrix<double> slow_product(const matrix<double>& a, const matrix<double>& b) {
  matrix<double> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      for (std::size_t k = 0; k < a.cols(); ++k) {
        c(i, j) += a(i, k) * b(k, j);
      }
    }
  }
  return c;
}

struct shape {
  std::size_t rows, depth, cols;
};

}  // namespace

TEMPLATE_TEST_CASE("gemm: every form of the product agrees with three loops", "[gemm]", float, double) {
  // Ragged in every direction, thin, higher than a tile (192 rows), and longer than a piece of the sum (256).
  const auto [m, k, n] = GENERATE(shape{1, 1, 1}, shape{3, 5, 2}, shape{4, 7, 1}, shape{5, 3, 9}, shape{130, 17, 7},
                                  shape{7, 300, 245}, shape{2, 520, 33}, shape{257, 6, 481});
  CAPTURE(m, k, n);
  const cpu exec{.threads = 2};
  const auto a = random_matrix<TestType>(m, k, 1);
  const auto b = random_matrix<TestType>(k, n, 2);
  const auto start = random_matrix<TestType>(m, n, 3);
  const auto expected = slow_product(in_double(a), in_double(b));
  auto expected_sum = in_double(start);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected_sum.values()[i] += expected.values()[i];
  }
  // A sum of k products of numbers below 1 is off by at most k^2 * epsilon / 2 (and a few more for the sum with c).
  const double epsilon = static_cast<double>(std::numeric_limits<TestType>::epsilon());
  const double bound = static_cast<double>((k + 2) * (k + 2)) * epsilon;

  matrix<TestType> at(k, m);
  matrix<TestType> bt(n, k);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t r = 0; r < m; ++r) {
      at(i, r) = a(r, i);
    }
    for (std::size_t c = 0; c < n; ++c) {
      bt(c, i) = b(i, c);
    }
  }

  matrix<TestType> c(m, n);
  c.fill(TestType(77));
  gemm(exec, a, b, c.view());
  CHECK(support::largest_difference(c, expected) <= bound);
  c.fill(TestType(77));
  gemm_abt(exec, a, bt, c.view());
  CHECK(support::largest_difference(c, expected) <= bound);
  c = start;
  gemm_add(exec, a, b, c.view());
  CHECK(support::largest_difference(c, expected_sum) <= bound);
  c = start;
  gemm_abt_add(exec, a, bt, c.view());
  CHECK(support::largest_difference(c, expected_sum) <= bound);
  c = start;
  gemm_atb_add(exec, at, b, c.view());
  CHECK(support::largest_difference(c, expected_sum) <= bound);
}

TEST_CASE("gemm: a product of small integers is exact", "[gemm]") {
  matrix<float> c(2, 2);
  gemm(cpu{1}, matrix<float>{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}},
       matrix<float>{{1, -1}, {2, 0}, {3, 1}, {4, 0}, {5, -1}}, c.view());
  CHECK(same_bits(c, matrix<float>{{55, -3}, {130, -8}}));
}

TEMPLATE_TEST_CASE("gemm: a row has the same bits alone, in any batch and with any number of threads", "[gemm]", float,
                   double) {
  // Depth and columns: several pieces of a sum and tiles; whole register blocks; leftovers; thin ones.
  const auto [most, k, n] = GENERATE(shape{200, 300, 250}, shape{200, 64, 48}, shape{200, 37, 7}, shape{200, 5, 2},
                                     shape{200, 4, 31}, shape{200, 50, 1});
  CAPTURE(k, n);
  const auto a = random_matrix<TestType>(most, k, 4);
  const auto w = random_matrix<TestType>(k, n, 5);
  const auto wt = random_matrix<TestType>(n, k, 6);
  const auto start = random_matrix<TestType>(most, n, 7);

  matrix<TestType> alone(most, n);
  matrix<TestType> alone_abt(most, n);
  matrix<TestType> alone_add(start);
  for (std::size_t r = 0; r < most; ++r) {
    const auto row = a.view().middle_rows(r, r + 1);
    gemm(cpu{1}, row, w, alone.view().middle_rows(r, r + 1));
    gemm_abt(cpu{1}, row, wt, alone_abt.view().middle_rows(r, r + 1));
    gemm_add(cpu{1}, row, w, alone_add.view().middle_rows(r, r + 1));
  }
  std::size_t differing = 0;
  for (std::size_t rows = 1; rows <= most; ++rows) {
    const cpu exec{.threads = static_cast<int>(rows % 3) + 1};
    const auto batch = a.view().middle_rows(most - rows, most);  // every row at many positions
    matrix<TestType> c(rows, n);
    gemm(exec, batch, w, c.view());
    differing += !same_bits(c, alone.view().middle_rows(most - rows, most));
    gemm_abt(exec, batch, wt, c.view());
    differing += !same_bits(c, alone_abt.view().middle_rows(most - rows, most));
    c = copy_of(start.view().middle_rows(most - rows, most));
    gemm_add(exec, batch, w, c.view());
    differing += !same_bits(c, alone_add.view().middle_rows(most - rows, most));
  }
  CHECK(differing == 0);
}

TEST_CASE("gemm: weight gradients have the same bits for any number of threads", "[gemm]") {
  for (const std::size_t batch : {1u, 3u, 64u, 300u}) {
    const auto x = random_matrix<float>(batch, 301, 8);
    const auto g = random_matrix<float>(batch, 487, 9);
    matrix<float> one(301, 487);
    gemm_atb_add(cpu{1}, x, g, one.view());
    for (const int threads : {2, 3, 8}) {
      matrix<float> many(301, 487);
      gemm_atb_add(cpu{threads}, x, g, many.view());
      CHECK(same_bits(one, many));
    }
  }
}

TEST_CASE("gemm: products work on strided views and leave the rest alone", "[gemm]") {
  auto a = random_matrix<double>(6, 20, 10);
  auto b = random_matrix<double>(8, 30, 11);
  auto c = random_matrix<double>(6, 25, 12);
  const auto before = c;
  const matrix_view<const double> left(a.data() + 3, 6, 8, 20);
  const matrix_view<const double> right(b.data() + 5, 8, 11, 30);
  gemm(cpu{2}, left, right, matrix_view<double>(c.data() + 7, 6, 11, 25));
  const auto expected = slow_product(copy_of(left), copy_of(right));
  for (std::size_t r = 0; r < 6; ++r) {
    for (std::size_t col = 0; col < 25; ++col) {
      if (col >= 7 && col < 18) {
        CHECK(c(r, col) == Approx(expected(r, col - 7)).epsilon(1e-14));
      } else {
        CHECK(c(r, col) == before(r, col));
      }
    }
  }
  const auto at = transposed(copy_of(left));
  matrix<double> wide(6, 40);
  gemm_atb_add(cpu{1}, at, right, matrix_view<double>(wide.data() + 1, 6, 11, 40));
  CHECK(wide(5, 11) == Approx(expected(5, 10)).epsilon(1e-14));
  CHECK(wide(5, 12) == 0);
}

TEST_CASE("gemm: empty sums are zero and empty results are fine", "[gemm]") {
  matrix<float> c{{1, 2}, {3, 4}};
  gemm_add(cpu{1}, matrix<float>(2, 0), matrix<float>(0, 2), c.view());
  CHECK(same_bits(c, matrix<float>{{1, 2}, {3, 4}}));
  gemm(cpu{1}, matrix<float>(2, 0), matrix<float>(0, 2), c.view());
  CHECK(same_bits(c, matrix<float>{{0, 0}, {0, 0}}));
  matrix<float> none(0, 9);
  CHECK_NOTHROW(gemm(cpu{2}, matrix<float>(0, 12), matrix<float>(12, 9), none.view()));
  matrix<float> no_columns(9, 0);
  CHECK_NOTHROW(gemm(cpu{2}, matrix<float>(9, 12), matrix<float>(12, 0), no_columns.view()));
}

TEST_CASE("gemm: NaN and infinity in a row stay in that row", "[gemm]") {
  auto a = random_matrix<float>(9, 40, 13);
  const auto w = random_matrix<float>(40, 30, 14);
  matrix<float> clean(9, 30);
  gemm(cpu{1}, a, w, clean.view());
  a(4, 0) = std::numeric_limits<float>::quiet_NaN();
  a(6, 1) = std::numeric_limits<float>::infinity();
  matrix<float> c(9, 30);
  gemm(cpu{1}, a, w, c.view());
  CHECK(std::isnan(c(4, 29)));
  CHECK(std::isinf(c(6, 29)));
  for (const std::size_t r : {0u, 3u, 5u, 7u, 8u}) {
    CHECK(same_bits(c.view().middle_rows(r, r + 1), clean.view().middle_rows(r, r + 1)));
  }
}

TEMPLATE_TEST_CASE("gemm: bias and relu on the way give the bits of one after the other", "[gemm]", float, double) {
  const auto [m, k, n] = GENERATE(shape{1, 3, 1}, shape{64, 40, 33}, shape{200, 300, 250});
  CAPTURE(m, k, n);
  const auto a = random_matrix<TestType>(m, k, 20);
  const auto b = random_matrix<TestType>(k, n, 21);
  const auto bias = random_matrix<TestType>(1, n, 22);
  matrix<TestType> sum(m, n);
  gemm(cpu{1}, a, b, sum.view());
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      sum(r, c) += bias(0, c);
    }
  }
  matrix<TestType> c(m, n);
  backend::gemm_bias<TestType>(cpu{2}, {a, false}, {b, false}, bias, false, c);
  CHECK(same_bits(c, sum));
  backend::gemm_bias<TestType>(cpu{2}, {a, false}, {b, false}, bias, true, c);
  for (TestType& value : sum.values()) {
    value = std::max(value, TestType(0));
  }
  CHECK(same_bits(c, sum));
}

TEMPLATE_TEST_CASE("gemm: tiles cover the result once and have its bits", "[gemm]", float, double) {
  // One tile; many rows; more columns than a tile holds.
  const auto [m, k, n] = GENERATE(shape{5, 7, 3}, shape{700, 20, 300}, shape{60, 300, 2500});
  const int threads = GENERATE(1, 2, 5);
  CAPTURE(m, k, n, threads);
  const auto at = random_matrix<TestType>(k, m, 23);
  const auto b = random_matrix<TestType>(k, n, 24);
  const auto start = random_matrix<TestType>(m, n, 25);
  for (const bool with_start : {false, true}) {
    matrix<TestType> whole(m, n);
    if (with_start) {
      whole = start;
    }
    gemm_atb_add(cpu{1}, at, b, whole.view());
    matrix<TestType> announced(m, n);
    matrix<TestType> seen(m, n);
    matrix<TestType> copies(m, n);
    const auto announce = [&](std::size_t row, std::size_t col, std::size_t rows, std::size_t cols) {
      for (std::size_t r = row; r < row + rows; ++r) {
        for (std::size_t c = col; c < col + cols; ++c) {
          announced(r, c) += TestType(1);
        }
      }
    };
    const auto begin = with_start ? start.view() : matrix_view<const TestType>{};
    backend::gemm_tiles<TestType>(cpu{threads}, {at, true}, {b, false}, begin, announce,
                                  [&](matrix_view<TestType> tile, std::size_t row, std::size_t col) {
                                    for (std::size_t r = 0; r < tile.rows(); ++r) {
                                      for (std::size_t c = 0; c < tile.cols(); ++c) {
                                        copies(row + r, col + c) = tile(r, c);
                                        seen(row + r, col + c) += announced(row + r, col + c);
                                      }
                                    }
                                  });
    CHECK(same_bits(copies, whole));
    CHECK(std::ranges::count(seen.values(), TestType(1)) == static_cast<std::ptrdiff_t>(m * n));
  }
}

TEST_CASE("gemm: sizes that do not fit are refused", "[gemm]") {
  const matrix<float> a(2, 3);
  const matrix<float> b(4, 5);
  matrix<float> c(2, 5);
  CHECK_THROWS_AS(gemm(cpu{1}, a, b, c.view()), shape_error);
  CHECK_THROWS_AS(gemm_add(cpu{1}, a, b, c.view()), shape_error);
  CHECK_THROWS_AS(gemm_abt(cpu{1}, a, b, c.view()), shape_error);
  CHECK_THROWS_AS(gemm_abt_add(cpu{1}, a, b, c.view()), shape_error);
  CHECK_THROWS_AS(gemm_atb_add(cpu{1}, a, b, c.view()), shape_error);
  const auto inner = support::message_of<shape_error>([&] { gemm(cpu{1}, a, b, c.view()); });
  CHECK(inner == "gemm: inner sizes differ: 2 x 3 times 4 x 5");
  const auto result = support::message_of<shape_error>([&] { gemm(cpu{1}, a, matrix<float>(3, 4), c.view()); });
  CHECK(result == "gemm: result: expected 2 x 4, got 2 x 5");
  matrix<float> fits(2, 4);
  CHECK_THROWS_AS(gemm(cpu{0}, a, matrix<float>(3, 4), fits.view()), argument_error);
}
