// SPDX-License-Identifier: MIT
// Dense products on a GPU, as on the CPU.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cuda/support/twin.hpp"
#include "graphpatcher/ops/activation.hpp"
#include "graphpatcher/ops/elementwise.hpp"
#include "graphpatcher/ops/gemm.hpp"

namespace gp = graphpatcher;
using gp::test::compare;
using gp::test::gpu;
using gp::test::layouts;
using gp::test::margins;
using gp::test::positive;
using gp::test::rounding;
using gp::test::twin;

namespace {

struct product_shape {
  std::size_t rows, cols, depth;
};
constexpr product_shape products[] = {{1, 1, 1},   {3, 5, 7},    {1, 33, 4},   {31, 1, 32}, {4, 6, 1}, {17, 64, 20},
                                      {2, 3, 130}, {33, 31, 33}, {5, 2, 1024}, {3, 4, 0},   {0, 3, 2}, {3, 0, 2}};

/// Factors whose products all have the sign of their column: nothing cancels,
/// so that two orders of adding up n of them differ by at most n roundings.
template <class T>
gp::matrix<T> signed_by(std::size_t rows, std::size_t cols, bool by_rows, unsigned seed) {
  auto result = positive<T>(rows, cols, seed);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      result(r, c) *= (by_rows ? r : c) % 2 == 0 ? T(1) : T(-1);
    }
  }
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("dense products on a GPU: all ways to call them", "[cuda]", float, double) {
  using T = TestType;
  for (const auto& [rows, cols, depth] : products) {
    for (const margins around : layouts) {
      const double allowed = rounding<T>(depth);
      twin<T> a(positive<T>(rows, depth, 1), around), b(signed_by<T>(depth, cols, false, 2), {0, around.right});
      twin<T> bt(signed_by<T>(cols, depth, true, 3), around), at(positive<T>(depth, rows, 4), {around.left, 0});
      twin<T> c(rows, cols, 5, around);
      compare(
          "gemm", allowed, [&](auto& on) { gp::gemm(on, a.on(on), b.on(on), c.on(on)); }, c);
      compare(
          "gemm_add", allowed, [&](auto& on) { gp::gemm_add(on, a.on(on), b.on(on), c.on(on)); }, c);
      compare(
          "gemm_abt", allowed, [&](auto& on) { gp::gemm_abt(on, a.on(on), bt.on(on), c.on(on)); }, c);
      compare(
          "gemm_abt_add", allowed, [&](auto& on) { gp::gemm_abt_add(on, a.on(on), bt.on(on), c.on(on)); }, c);
      compare(
          "gemm_atb_add", allowed, [&](auto& on) { gp::gemm_atb_add(on, at.on(on), b.on(on), c.on(on)); }, c);
    }
  }
}

TEMPLATE_TEST_CASE("dense products on a GPU: with bias and ReLU", "[cuda]", float, double) {
  using T = TestType;
  const gp::cpu host{1};
  for (const auto& [rows, cols, depth] : products) {
    for (const margins around : layouts) {
      for (const bool transpose : {false, true}) {
        const auto [b_rows, b_cols] = transpose ? std::pair(cols, depth) : std::pair(depth, cols);
        twin<T> a(positive<T>(rows, depth, 1), around), b(signed_by<T>(b_rows, b_cols, transpose, 2));
        twin<T> bias(1, cols, 3, {around.left, 0}), c(rows, cols, 4, around);
        for (const bool relu : {false, true}) {
          transpose ? gp::gemm_abt(host, a.on(host), b.on(host), c.on(host))
                    : gp::gemm(host, a.on(host), b.on(host), c.on(host));
          gp::add_bias(host, c.on(host), bias.on(host), c.on(host));
          if (relu) {
            gp::relu(host, c.on(host), c.on(host));
          }
          for (int again = 0; again < 2; ++again) {  // the second time with the algorithm that the first one found
            gp::backend::gemm_bias<T>(gpu(), {a.on(gpu()), false}, {b.on(gpu()), transpose}, bias.on(gpu()), relu,
                                      c.on(gpu()));
            INFO(c.shape() << ", depth " << depth << (relu ? ", relu" : ""));
            CHECK(c.difference() <= rounding<T>(depth + 1));
          }
        }
      }
    }
  }
}

TEST_CASE("dense products on a GPU: float is float, not TF32", "[cuda]") {
  // TF32 keeps 10 bits of a factor: it would make 1 of 1 + 2^-12.
  const float fine = 1.0f + std::ldexp(1.0f, -12);
  gp::matrix<float> a(64, 64);
  gp::matrix<float> identity(64, 64);
  a.fill(fine);
  for (std::size_t i = 0; i < 64; ++i) {
    identity(i, i) = 1;
  }
  twin<float> left(a), right(identity), bias(gp::matrix<float>(1, 64)), c(64, 64, 1);
  gp::gemm(gpu(), left.on(gpu()), right.on(gpu()), c.on(gpu()));
  const auto is_exact = [&] {
    const auto got = c.device();
    return std::all_of(got.values().begin(), got.values().end(), [=](float value) { return value == fine; });
  };
  CHECK(is_exact());
  gp::backend::gemm_bias<float>(gpu(), {left.on(gpu()), false}, {right.on(gpu()), false}, bias.on(gpu()), true,
                                c.on(gpu()));
  CHECK(is_exact());
}

TEMPLATE_TEST_CASE("dense products on a GPU: NaN and infinity reach their rows and columns", "[cuda]", float, double) {
  using T = TestType;
  auto a = positive<T>(5, 33, 1);
  a(3, 32) = std::numeric_limits<T>::quiet_NaN();
  a(1, 0) = std::numeric_limits<T>::infinity();
  twin<T> left(a), right(positive<T>(33, 7, 2)), c(5, 7, 3);
  compare(
      "gemm", rounding<T>(33), [&](auto& on) { gp::gemm(on, left.on(on), right.on(on), c.on(on)); }, c);
  CHECK(std::isnan(c.device()(3, 0)));
  CHECK(std::isinf(c.device()(1, 6)));
  CHECK(std::isfinite(c.device()(2, 6)));
  // What was there before a plain product does not count, even if it is NaN.
  gp::matrix<T> spoilt(5, 7);
  spoilt.fill(std::numeric_limits<T>::quiet_NaN());
  c = twin<T>(spoilt);
  compare(
      "gemm over NaN", rounding<T>(33), [&](auto& on) { gp::gemm(on, left.on(on), right.on(on), c.on(on)); }, c);
  CHECK(std::isfinite(c.device()(0, 0)));
}

TEST_CASE("dense products on a GPU: what does not fit is refused", "[cuda]") {
  twin<float> a(3, 4, 1), b(5, 2, 2), c(3, 2, 3), bias(1, 3, 4);
  const auto on = gp::executor(gpu());
  CHECK_THROWS_WITH(gp::gemm(on, a.on(on), b.on(on), c.on(on)), Catch::Contains("3 x 4 times 5 x 2"));
  CHECK_THROWS_AS(gp::backend::gemm_bias<float>(gpu(), {a.on(on), false}, {a.on(on), true}, c.on(on), false, c.on(on)),
                  gp::shape_error);
  gp::matrix_view<const float> overlapping(a.on(on).data(), 2, 4, 1);
  CHECK_THROWS_WITH(gp::backend::gemm<float>(gpu(), {overlapping, false}, {overlapping, true},
                                             gp::matrix<float>(gpu(), 2, 2).view(), false),
                    Catch::Contains("stride of 1"));
}
