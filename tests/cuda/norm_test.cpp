// SPDX-License-Identifier: MIT
// Layer norm and batch norm on a GPU, as on the CPU.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cuda/support/twin.hpp"
#include "graphpatcher/ops/norm.hpp"

namespace gp = graphpatcher;
using gp::executor;
using gp::test::compare;
using gp::test::for_each_shape;
using gp::test::gpu;
using gp::test::margins;
using gp::test::rounding;
using gp::test::twin;

namespace {

/// Added to variances: no inverse deviation is above 3.2, so that none makes
/// much of the rounding of a mean.
constexpr double eps = 0.1;

/// Sums of n terms are made in double on both sides, a dozen operations in T
/// follow; each rounding may be enlarged by an inverse deviation.
template <class T>
double tolerance(std::size_t terms) {
  return 3.2 * (rounding<T>(12) + rounding<double>(terms));
}

/// What a norm keeps of its rows or columns for the adjoint.
template <class T>
struct statistics {
  twin<T> mean;
  twin<T> inverse_deviation;

  explicit statistics(std::size_t count) : mean(1, count, 11), inverse_deviation(1, count, 12) {}
  gp::norm_statistics<T> on(const executor& exec) { return {mean.row_on(exec), inverse_deviation.row_on(exec)}; }
};

}  // namespace

TEMPLATE_TEST_CASE("norms on a GPU: layer norm and its adjoints", "[cuda]", float, double) {
  using T = TestType;
  for_each_shape([](std::size_t rows, std::size_t cols, margins around) {
    if (cols == 0) {
      return;  // no row has a mean
    }
    twin<T> x(rows, cols, 1, around), gain(1, cols, 2), shift(1, cols, 3), g(rows, cols, 4, {0, around.right});
    twin<T> y(rows, cols, 5, around), dx(rows, cols, 6, around), dgain(1, cols, 7), dshift(1, cols, 8);
    statistics<T> used(rows);
    compare(
        "layer_norm", tolerance<T>(cols),
        [&](auto& on) { gp::layer_norm(on, x.on(on), gain.on(on), shift.on(on), T(eps), used.on(on), y.on(on)); }, y,
        used.mean, used.inverse_deviation);
    compare(
        "layer_norm_adjoint", tolerance<T>(cols),
        [&](auto& on) { gp::layer_norm_adjoint(on, x.on(on), gain.on(on), used.on(on), g.on(on), dx.on(on)); }, dx);
    compare(
        "norm_gain_adjoint", tolerance<T>(rows),
        [&](auto& on) {
          gp::norm_gain_adjoint(on, gp::norm_axis::rows, x.on(on), used.on(on), g.on(on), dgain.on(on));
        },
        dgain);
    compare(
        "norm_shift_adjoint", tolerance<T>(rows),
        [&](auto& on) { gp::norm_shift_adjoint(on, g.on(on), dshift.on(on)); }, dshift);
  });
}

TEMPLATE_TEST_CASE("norms on a GPU: batch norm and its adjoints", "[cuda]", float, double) {
  using T = TestType;
  const auto check = [](std::size_t rows, std::size_t cols, margins around) {
    twin<T> x(rows, cols, 1, around), gain(1, cols, 2), shift(1, cols, 3), g(rows, cols, 4, {0, around.right});
    twin<T> y(rows, cols, 5, around), dx(rows, cols, 6, around), dgain(1, cols, 7);
    statistics<T> used(cols);
    gp::batch_statistics<T> on_cpu(cols);
    gp::batch_statistics<T> on_gpu(cols);
    on_gpu.move_to(gpu());
    const auto running = [&](const executor& on) -> auto& {
      return on.on_host() ? on_cpu : on_gpu;
    };
    for (const bool training : {true, false}) {
      INFO((training ? "in training" : "in evaluation"));
      if (training && rows < 2) {
        CHECK_THROWS_AS(gp::batch_norm_training(gpu(), x.on(gpu()), gain.on(gpu()), shift.on(gpu()), on_gpu, T(0.1),
                                                T(eps), used.on(gpu()), y.on(gpu())),
                        gp::shape_error);
        continue;
      }
      compare(
          "batch_norm", tolerance<T>(rows),
          [&](auto& on) {
            if (training) {
              gp::batch_norm_training(on, x.on(on), gain.on(on), shift.on(on), running(on), T(0.1), T(eps), used.on(on),
                                      y.on(on));
            } else {
              gp::batch_norm_evaluation(on, x.on(on), gain.on(on), shift.on(on), running(on), T(eps), used.on(on),
                                        y.on(on));
            }
          },
          y, used.mean, used.inverse_deviation);
      CHECK(gp::test::relative_difference(gp::test::to_host(on_gpu.mean), on_cpu.mean) <= tolerance<T>(rows));
      CHECK(gp::test::relative_difference(gp::test::to_host(on_gpu.variance), on_cpu.variance) <= tolerance<T>(rows));
      compare(
          "batch_norm_adjoint", tolerance<T>(rows),
          [&](auto& on) {
            gp::batch_norm_adjoint(on, training, x.on(on), gain.on(on), used.on(on), g.on(on), dx.on(on));
          },
          dx);
      compare(
          "norm_gain_adjoint", tolerance<T>(rows),
          [&](auto& on) {
            gp::norm_gain_adjoint(on, gp::norm_axis::columns, x.on(on), used.on(on), g.on(on), dgain.on(on));
          },
          dgain);
    }
  };
  for_each_shape(check);
  check(3000, 5, {});  // sums of slabs of rows, then of slabs
}

TEMPLATE_TEST_CASE("norms on a GPU: rows without variance become the shift", "[cuda]", float, double) {
  using T = TestType;
  const std::size_t rows = 3;
  const std::size_t cols = 257;
  gp::matrix<T> same(rows, cols);
  same.fill(T(0.75));  // sums of it are exact
  twin<T> x(same), gain(1, cols, 2), shift(1, cols, 3), y(rows, cols, 4);
  statistics<T> of_rows(rows);
  statistics<T> of_columns(cols);
  gp::batch_statistics<T> running(cols);
  running.move_to(gpu());
  const auto check = [&](statistics<T>& used) {
    const auto result = y.device();
    const auto expected = shift.host();
    for (std::size_t r = 0; r < rows; ++r) {
      CHECK(std::equal(result.row(r).begin(), result.row(r).end(), expected.row(0).begin()));
    }
    CHECK(used.mean.device()(0, 0) == T(0.75));
    CHECK(used.inverse_deviation.device()(0, 0) == Approx(1 / std::sqrt(1e-5)).epsilon(rounding<T>(1)));
  };
  gp::layer_norm(gpu(), x.on(gpu()), gain.on(gpu()), shift.on(gpu()), T(1e-5), of_rows.on(gpu()), y.on(gpu()));
  check(of_rows);
  gp::batch_norm_training(gpu(), x.on(gpu()), gain.on(gpu()), shift.on(gpu()), running, T(0.1), T(1e-5),
                          of_columns.on(gpu()), y.on(gpu()));
  check(of_columns);
}

TEMPLATE_TEST_CASE("norms on a GPU: numbers far from zero", "[cuda]", float, double) {
  using T = TestType;
  // With a mean of 1000 and a deviation of 0.6, Σx² - n mean² in T would have lost every digit in float. What stays is
  // the rounding of the mean, 1000 times as large as one of the deviations.
  auto values = random_input::values<T>(7, 130, 1);
  for (T& value : values.values()) {
    value += T(1000);
  }
  twin<T> x(values), gain(1, 130, 2), shift(1, 130, 3), y(7, 130, 4);
  statistics<T> used(7);
  compare(
      "layer_norm", 1000 * tolerance<T>(130),
      [&](auto& on) { gp::layer_norm(on, x.on(on), gain.on(on), shift.on(on), T(0), used.on(on), y.on(on)); }, y,
      used.mean, used.inverse_deviation);
  for (std::size_t r = 0; r < 7; ++r) {
    CHECK(used.inverse_deviation.device()(0, r) == Approx(std::sqrt(3.0)).epsilon(0.2));  // uniform in [-1, 1)
  }
}

TEMPLATE_TEST_CASE("norms on a GPU: a NaN spoils its row, or its column, alone", "[cuda]", float, double) {
  using T = TestType;
  auto values = random_input::values<T>(5, 33, 1);
  values(2, 31) = std::numeric_limits<T>::quiet_NaN();
  twin<T> x(values), gain(1, 33, 2), shift(1, 33, 3), y(5, 33, 4), z(5, 33, 5);
  statistics<T> of_rows(5);
  statistics<T> of_columns(33);
  gp::batch_statistics<T> running(33);
  running.move_to(gpu());
  gp::layer_norm(gpu(), x.on(gpu()), gain.on(gpu()), shift.on(gpu()), T(eps), of_rows.on(gpu()), y.on(gpu()));
  gp::batch_norm_training(gpu(), x.on(gpu()), gain.on(gpu()), shift.on(gpu()), running, T(0.1), T(eps),
                          of_columns.on(gpu()), z.on(gpu()));
  const auto by_rows = y.device();
  const auto by_columns = z.device();
  for (std::size_t r = 0; r < 5; ++r) {
    for (std::size_t c = 0; c < 33; ++c) {
      REQUIRE(std::isnan(by_rows(r, c)) == (r == 2));
      REQUIRE(std::isnan(by_columns(r, c)) == (c == 31));
    }
  }
}
