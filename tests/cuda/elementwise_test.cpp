// SPDX-License-Identifier: MIT
// Element by element, sums and activations on a GPU, as on the CPU.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "cuda/support/twin.hpp"
#include "graphpatcher/ops/activation.hpp"
#include "graphpatcher/ops/elementwise.hpp"
#include "support/compare.hpp"

namespace gp = graphpatcher;
using gp::executor;
using gp::test::compare;
using gp::test::for_each_shape;
using gp::test::gpu;
using gp::test::margins;
using gp::test::positive;
using gp::test::rounding;
using gp::test::twin;

namespace {

// One operation of IEEE arithmetic has one result.
constexpr double exact = 0;

/// What two sums of all elements in double, rounded to T at the end, may differ
/// by. Each is off by at most n - 1 roundings (of half an epsilon) of partial
/// sums, none above Σ|x|.
template <class T>
double total_tolerance(const gp::matrix<T>& x, double result) {
  double sizes = 0;
  for (const T value : x.values()) {
    sizes += std::abs(static_cast<double>(value));
  }
  return static_cast<double>(x.size()) * std::numeric_limits<double>::epsilon() * sizes +
         static_cast<double>(std::numeric_limits<T>::epsilon()) * std::abs(result);
}

template <class T>
void check_total(twin<T>& x, T factor) {
  twin<T> total(1, 1, 1);
  for (const auto& exec : {executor(gp::cpu{1}), executor(gpu())}) {
    gp::sum_all(exec, x.on(exec), factor, total.on(exec));
  }
  const double expected = static_cast<double>(total.host()(0, 0));
  INFO("sum_all: " << x.shape());
  CHECK(std::abs(static_cast<double>(total.device()(0, 0)) - expected) <= total_tolerance(x.host(), expected));
}

}  // namespace

TEMPLATE_TEST_CASE("elementwise on a GPU: functions of single elements", "[cuda]", float, double) {
  using T = TestType;
  for_each_shape([](std::size_t rows, std::size_t cols, margins around) {
    // Not all views of a call are laid out alike.
    twin<T> a(rows, cols, 1, around), b(rows, cols, 2), c(rows, cols, 3, {0, around.right}), y(rows, cols, 4, around);
    twin<T> bias(1, cols, 5), g(1, 1, 6), weights(1, rows, 7);
    const auto check = [&](const char* name, double tolerance, auto&& call) {
      compare(
          name, tolerance, [&](const executor& on) { call(on, a.on(on), b.on(on), y.on(on)); }, y);
    };
    const double fused = rounding<T>(1);  // y + a b, rounded once or twice
    check("fill", exact, [](auto& on, auto, auto, auto out) { gp::fill(on, T(1.5), out); });
    check("copy", exact, [](auto& on, auto x, auto, auto out) { gp::copy(on, x, out); });
    check("add", exact, [](auto& on, auto x, auto z, auto out) { gp::add(on, x, z, out); });
    check("subtract", exact, [](auto& on, auto x, auto z, auto out) { gp::subtract(on, x, z, out); });
    check("multiply", exact, [](auto& on, auto x, auto z, auto out) { gp::multiply(on, x, z, out); });
    check("multiply_add", fused, [](auto& on, auto x, auto z, auto out) { gp::multiply_add(on, x, z, out); });
    check("scale", exact, [](auto& on, auto x, auto, auto out) { gp::scale(on, x, T(0.3), out); });
    check("add_scaled", fused, [](auto& on, auto x, auto, auto out) { gp::add_scaled(on, x, T(0.7), out); });
    check("accumulate", exact, [](auto& on, auto x, auto, auto out) { gp::accumulate(on, x, out); });
    check("add_bias", exact, [&](auto& on, auto x, auto, auto out) { gp::add_bias(on, x, bias.on(on), out); });
    check("add_scalar", exact, [&](auto& on, auto, auto, auto out) { gp::add_scalar(on, g.on(on), out); });
    check("scale_rows", exact, [&](auto& on, auto, auto, auto out) { gp::scale_rows(on, weights.row_on(on), out); });
    check("add, in place", exact, [](auto& on, auto x, auto, auto out) { gp::add(on, out, x, out); });
    check("multiply, in place", exact, [&](auto& on, auto, auto, auto out) { gp::multiply(on, c.on(on), out, out); });
  });
}

TEMPLATE_TEST_CASE("elementwise on a GPU: activations and their adjoints", "[cuda]", float, double) {
  using T = TestType;
  for_each_shape([](std::size_t rows, std::size_t cols, margins around) {
    twin<T> x(rows, cols, 1, around), g(rows, cols, 2), y(rows, cols, 3, {0, around.right}), dx(rows, cols, 4, around);
    const double fused = rounding<T>(1);  // dx + slope g; exp is right to about two units in the last place
    const auto check = [&](const char* name, double tolerance, twin<T>& result, auto&& call) {
      compare(name, tolerance, call, result);
    };
    check("relu", exact, y, [&](auto& on) { gp::relu(on, x.on(on), y.on(on)); });
    check("relu_adjoint", exact, dx, [&](auto& on) { gp::relu_adjoint(on, y.on(on), g.on(on), dx.on(on)); });
    check("elu", fused, y, [&](auto& on) { gp::elu(on, x.on(on), T(0.9), y.on(on)); });
    check("elu_adjoint", fused, dx,
          [&](auto& on) { gp::elu_adjoint(on, x.on(on), y.on(on), T(0.9), g.on(on), dx.on(on)); });
    check("leaky_relu", exact, y, [&](auto& on) { gp::leaky_relu(on, x.on(on), T(0.1), y.on(on)); });
    check("leaky_relu_adjoint", fused, dx,
          [&](auto& on) { gp::leaky_relu_adjoint(on, x.on(on), T(0.1), g.on(on), dx.on(on)); });
    for (const std::size_t slopes : {std::size_t{1}, cols}) {
      twin<T> slope(1, slopes, 5);
      if (cols > 0) {
        check("prelu", exact, y, [&](auto& on) { gp::prelu(on, x.on(on), slope.on(on), y.on(on)); });
        check("prelu_adjoint", fused, dx,
              [&](auto& on) { gp::prelu_adjoint(on, x.on(on), slope.on(on), g.on(on), dx.on(on)); });
      }
    }
    check("relu, in place", exact, x, [&](auto& on) { gp::relu(on, x.on(on), x.on(on)); });
  });
}

TEMPLATE_TEST_CASE("elementwise on a GPU: sums", "[cuda]", float, double) {
  using T = TestType;
  const auto check = [](std::size_t rows, std::size_t cols, margins around) {
    twin<T> x(positive<T>(rows, cols, 1), around), g(positive<T>(rows, cols, 2)), sums(positive<T>(1, cols, 3));
    twin<T> mixed(rows, cols, 4, around);
    compare(
        "add_column_sums", rounding<T>(rows), [&](auto& on) { gp::add_column_sums(on, x.on(on), sums.on(on)); }, sums);
    check_total<T>(mixed, T(0.5));
    if (cols > 0) {
      gp::scale(gp::cpu{1}, x.on(gp::cpu{1}), T(-1), x.on(gp::cpu{1}));  // a slope counts where x <= 0
      x.agree();
      twin<T> a_column(gp::matrix<T>(1, cols)), one(gp::matrix<T>(1, 1));
      compare(
          "prelu_slope_adjoint, a slope a column", rounding<T>(rows),
          [&](auto& on) { gp::prelu_slope_adjoint(on, x.on(on), g.on(on), a_column.on(on)); }, a_column);
      compare(
          "prelu_slope_adjoint, one slope", rounding<T>(rows * cols),
          [&](auto& on) { gp::prelu_slope_adjoint(on, x.on(on), g.on(on), one.on(on)); }, one);
    }
  };
  for_each_shape(check);
  // Many rows are split into slabs, whose sums are added up by a second kernel.
  check(5000, 7, {});
  check(3000, 40, {1, 0});
  check(1, 9000, {});
}

TEMPLATE_TEST_CASE("elementwise on a GPU: sums have the same bits every time", "[cuda]", float, double) {
  using T = TestType;
  twin<T> x(700, 33, 1);
  std::vector<gp::matrix<T>> seen;
  gp::test::for_each_schedule([&] {
    gp::matrix<T> sums(gpu(), 1, 33);
    gp::matrix<T> total(gpu(), 1, 1);
    gp::add_column_sums(gpu(), x.on(gpu()), sums.view());
    gp::sum_all(gpu(), x.on(gpu()), T(1), total.view());
    seen.push_back(gp::test::to_host(sums));
    seen.push_back(gp::test::to_host(total));
    CHECK(support::same_bits(seen[seen.size() - 2], seen[0]));
    CHECK(support::same_bits(seen[seen.size() - 1], seen[1]));
  });
}

TEMPLATE_TEST_CASE("elementwise on a GPU: NaN and infinities pass as on the CPU", "[cuda]", float, double) {
  using T = TestType;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const gp::matrix<T> special{{nan, infinity, -infinity, T(0), T(-1)}, {nan, T(1), -infinity, infinity, T(-0.0)}};
  twin<T> x(special), y(2, 5, 1), g(2, 5, 2), slope(1, 1, 3);
  const auto check = [&](const char* name, auto&& call) { compare(name, rounding<T>(1), call, y); };
  check("add", [&](auto& on) { gp::add(on, x.on(on), g.on(on), y.on(on)); });
  check("multiply", [&](auto& on) { gp::multiply(on, x.on(on), g.on(on), y.on(on)); });
  check("relu", [&](auto& on) { gp::relu(on, x.on(on), y.on(on)); });
  CHECK(std::isnan(y.device()(0, 0)));
  CHECK(y.device()(0, 2) == T(0));
  check("relu_adjoint", [&](auto& on) { gp::relu_adjoint(on, x.on(on), g.on(on), y.on(on)); });
  check("elu", [&](auto& on) { gp::elu(on, x.on(on), T(0.5), y.on(on)); });
  CHECK(y.device()(0, 2) == T(-0.5));
  check("leaky_relu", [&](auto& on) { gp::leaky_relu(on, x.on(on), T(0.1), y.on(on)); });
  check("prelu", [&](auto& on) { gp::prelu(on, x.on(on), slope.on(on), y.on(on)); });
  twin<T> total(1, 1, 4);
  compare(
      "sum_all", exact, [&](auto& on) { gp::sum_all(on, x.on(on), T(1), total.on(on)); }, total);
  CHECK(std::isnan(total.device()(0, 0)));
}

TEST_CASE("elementwise on a GPU: a matrix with more elements than a grid has threads", "[cuda]") {
  // 16 blocks of 256 threads a multiprocessor, at most: 108 of them have 442,368 threads.
  twin<float> x(2, 230'000, 1, {1, 0}), y(2, 230'000, 2, {1, 0});
  compare(
      "copy", exact, [&](auto& on) { gp::copy(on, x.on(on), y.on(on)); }, y);
}
