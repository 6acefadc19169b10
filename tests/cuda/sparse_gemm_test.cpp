// SPDX-License-Identifier: MIT
// Products with rows of a sparse table on a GPU, and dropout of their non-zeros.
#include "graphpatcher/ops/sparse_gemm.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <span>
#include <vector>

#include "cuda/support/like_cpu.hpp"
#include "graphpatcher/ops/dropout.hpp"
#include "support/compare.hpp"
#include "support/dense_features.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using namespace gp::test;
using random_input::values;

namespace {

/// A table with an empty row (2), a full row (1) and `share` of the others not
/// zero.
template <class T, class I>
gp::feature_table<T, I> random_table(std::size_t rows, std::size_t cols, double share) {
  auto dense = values<T>(rows, cols, 11);
  const auto kept = values<double>(rows, cols, 12);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      if (r == 2 || (r != 1 && kept(r, c) > 2 * share - 1)) {
        dense(r, c) = 0;
      }
    }
  }
  return gp::sparse_from_dense<I>(dense.view());
}

/// Rows in no order, with repeats and rows of zeros (-1).
template <class I>
std::vector<I> mixed_ids(std::size_t count, std::size_t rows) {
  std::vector<I> ids(count);
  for (std::size_t i = 0; i < count; ++i) {
    ids[i] = static_cast<I>((i * i * 5 + i) % (rows + 1)) - 1;
  }
  return ids;
}

/// Where each of these rows' own values start: not at 0, and not without gaps.
template <class T, class I>
std::vector<std::size_t> value_offsets(const gp::feature_table<T, I>& table, const std::vector<I>& ids) {
  std::vector<std::size_t> offsets{3};
  for (std::size_t r = 0; r < ids.size(); ++r) {
    offsets.push_back(offsets.back() + 2 + gp::feature_rows<T, I>{&table, ids}.stored(r));
  }
  return offsets;
}

/// The product, its adjoint and the dense rows; with the table's values and with
/// those that a dropout left.
template <class T, class I>
void check_products(const gp::feature_table<T, I>& table, const std::vector<I>& ids, std::size_t cols,
                    std::size_t gap) {
  INFO(ids.size() << " rows of " << table.cols() << " features, " << cols << " columns, gap " << gap);
  const auto offsets = value_offsets(table, ids);
  const gp::dropout_options half{gp::random_stream(5, gp::purpose::dropout), 0.5};
  const std::size_t wide = cols + 2 * gap;
  enum role { w, gradient, own_values, out, own_out, w_gradient, own_w_gradient, dense, own_dense };
  const matrices<T> start{values<T>(table.cols(), wide, 1),
                          values<T>(ids.size(), wide, 2),
                          values<T>(1, offsets.back(), 3),
                          values<T>(ids.size(), wide, 4),
                          values<T>(ids.size(), wide, 5),
                          values<T>(table.cols(), wide, 6),
                          values<T>(table.cols(), wide, 7),
                          values<T>(ids.size(), table.cols() + 2 * gap, 8),
                          values<T>(ids.size(), table.cols() + 2 * gap, 9)};
  const auto with = [&](const gp::feature_table<T, I>& which) {
    return [&](const gp::executor& exec, matrices<T>& m) {
      gp::feature_rows<T, I> x{&which, ids};
      gp::sparse_gemm(exec, x, inner(m[w], gap), inner(m[out], gap));
      gp::sparse_gemm_adjoint(exec, x, inner(m[gradient], gap), inner(m[w_gradient], gap));
      gp::sparse_to_dense(exec, x, inner(m[dense], gap));
      gp::sparse_dropout<T, I>(exec, half, x, offsets, {m[own_values].data(), m[own_values].size()});
      x.values = all_of(m[own_values]);
      x.value_offsets = offsets;
      gp::sparse_gemm(exec, x, inner(m[w], gap), inner(m[own_out], gap));
      gp::sparse_gemm_adjoint(exec, x, inner(m[gradient], gap), inner(m[own_w_gradient], gap));
      gp::sparse_to_dense(exec, x, inner(m[own_dense], gap));
    };
  };
  auto sizes = support::numbers_of(table);
  for (T& value : sizes.values()) {
    value = std::abs(value);
  }
  const auto absolute_table = table.is_dense() ? gp::feature_table<T, I>(std::move(sizes))
                                               : gp::feature_table<T, I>(gp::sparse_from_dense<I>(sizes.view()));
  auto magnitudes = changed(gp::cpu{1}, absolute(start), with(absolute_table));
  for (const role copied : {own_values, dense, own_dense}) {  // bit for bit
    std::ranges::fill(magnitudes[copied].values(), T(0));
  }
  check_like_cpu(start, magnitudes, rounding<T>(std::max(ids.size(), table.cols())), with(table));
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("products with sparse rows on a GPU: every width and stride", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const auto table = random_table<T, I>(20, 40, 0.2);
  for (const std::size_t cols : {1, 3, 7, 32, 33, 64, 130, 256}) {
    check_products(table, mixed_ids<I>(35, 20), cols, cols % 3);
  }
  check_products(table, mixed_ids<I>(35, 20), 64, 4);
  check_products(table, mixed_ids<I>(3, 20), 1024, 0);
  check_products(table, mixed_ids<I>(257, 20), 1, 0);
}

TEMPLATE_LIST_TEST_CASE("products with sparse rows on a GPU: long rows and columns", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  // row 1 has 600 non-zeros; a column has up to as many as there are rows, here around the lengths that are cut
  check_products(random_table<T, I>(4, 600, 0.1), mixed_ids<I>(6, 4), 5, 0);
  const auto full = random_table<T, I>(3, 3, 1);
  for (const std::size_t count : {512, 513, 768, 769, 1300}) {
    check_products(full, std::vector<I>(count, 1), 4, 0);
  }
}

TEMPLATE_LIST_TEST_CASE("products with dense rows on a GPU: every type, width and stride", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const auto check = [](const gp::feature_table<T, I>& table) {
    for (const std::size_t cols : {1, 7, 33, 130}) {
      check_products(table, mixed_ids<I>(35, 20), cols, cols % 3);
    }
  };
  check(support::dense_features<T, float, I>(20, 41, 1));
  check(support::dense_features<T, double, I>(20, 6, 2, 0));
  check(support::dense_features<T, gp::float16, I>(20, 128, 3, 1));
  check(support::dense_features<T, gp::bfloat16, I>(20, 300, 4));
  const auto one = support::dense_features<T, gp::float16, I>(20, 1, 5);
  check_products<T, I>(one, {}, 4, 0);
  check_products<T, I>(one, {-1}, 4, 0);
  check_products<T, I>(one, {-1, 2, 2, -1}, 7, 1);
}

TEST_CASE("products with dense rows on a GPU: the table goes there once, in its own type", "[cuda]") {
  const auto table = support::dense_features<float, gp::float16>(20, 64, 6);
  const auto first = std::get<gp::matrix_view<const gp::float16>>(table.dense().on(gpu()));
  const auto again = std::get<gp::matrix_view<const gp::float16>>(table.dense().on(gpu()));
  CHECK(first.data() == again.data());
}

TEMPLATE_LIST_TEST_CASE("products with sparse rows on a GPU: nothing to do", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const auto table = random_table<T, I>(5, 9, 0.3);
  check_products<T, I>(table, {}, 4, 0);
  check_products<T, I>(table, {-1}, 4, 0);
  check_products<T, I>(table, {-1, 2, 2, -1}, 7, 1);  // zeros all over
}

TEMPLATE_TEST_CASE("products with sparse rows on a GPU, by hand", "[cuda]", float, double) {
  using T = TestType;
  const gp::feature_table table = gp::sparse_from_dense<int>(gp::matrix<T>{{0, 2, 0}, {1, 0, -1}}.view());
  const std::vector<int> ids{1, -1, 0, 1};
  const gp::feature_rows<T, int> x{&table, ids};
  const auto w = to_gpu(gp::matrix<T>{{1, 10}, {2, 20}, {3, 30}});
  gp::matrix<T> out(gpu(), 4, 2);
  gp::sparse_gemm(gpu(), x, w, out.view());
  CHECK(support::same_bits(to_host(out), gp::matrix<T>{{-2, -20}, {0, 0}, {4, 40}, {-2, -20}}));

  auto w_gradient = to_gpu(gp::matrix<T>{{100, 100}, {100, 100}, {100, 100}});
  gp::sparse_gemm_adjoint(gpu(), x, to_gpu(gp::matrix<T>{{1, 2}, {50, 50}, {3, 4}, {5, 6}}), w_gradient.view());
  CHECK(support::same_bits(to_host(w_gradient), gp::matrix<T>{{106, 108}, {106, 108}, {94, 92}}));
}

TEST_CASE("dropout of non-zeros on a GPU: a draw that is just as large as the probability keeps its element",
          "[cuda]") {
  const auto stream = gp::random_stream(5, gp::purpose::dropout);
  const gp::feature_table table = gp::sparse_from_dense<int>(values<float>(1, 4, 1).view());
  const std::vector<int> ids{0};
  const std::vector<std::size_t> offsets{0, 4};
  for (const std::uint32_t draw : stream.bits(0, 0)) {
    const gp::dropout_options options{stream, draw * 0x1.0p-32};
    check_like_cpu<float>({values<float>(1, 4, 2)}, 0, [&](const gp::executor& exec, matrices<float>& m) {
      gp::sparse_dropout<float, int>(exec, options, {&table, ids}, offsets, {m[0].data(), 4});
    });
  }
}
