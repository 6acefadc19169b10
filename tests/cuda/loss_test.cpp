// SPDX-License-Identifier: MIT
// Softmax and the losses on a GPU, as on the CPU: values and slopes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cuda/support/twin.hpp"
#include "graphpatcher/ops/loss.hpp"

namespace gp = graphpatcher;
using gp::test::compare;
using gp::test::for_each_shape;
using gp::test::gpu;
using gp::test::margins;
using gp::test::rounding;
using gp::test::twin;

namespace {

/// Logits in [-4, 4).
template <class T>
gp::matrix<T> logits_of(std::size_t rows, std::size_t classes, unsigned seed) {
  auto result = random_input::values<T>(rows, classes, seed);
  for (T& value : result.values()) {
    value *= T(4);
  }
  return result;
}

template <class T>
gp::matrix<T> probabilities(std::size_t rows, std::size_t classes, unsigned seed) {
  auto result = logits_of<T>(rows, classes, seed);
  gp::softmax(gp::cpu{1}, result, result.view());
  return result;
}

/// Sums of n terms, each an exponential or a logarithm: their arguments are
/// rounded at a size of up to 8, the functions to about two units.
template <class T>
double tolerance(std::size_t terms) {
  return rounding<T>(terms + 12);
}

}  // namespace

TEMPLATE_TEST_CASE("losses on a GPU: softmax, its logarithm and their adjoints", "[cuda]", float, double) {
  using T = TestType;
  for_each_shape([](std::size_t rows, std::size_t classes, margins around) {
    twin<T> x(logits_of<T>(rows, classes, 1), around), g(rows, classes, 2), y(rows, classes, 3, {0, around.right});
    twin<T> dx(rows, classes, 4, around);
    const double allowed = tolerance<T>(classes);
    compare(
        "softmax", allowed, [&](auto& on) { gp::softmax(on, x.on(on), y.on(on)); }, y);
    compare(
        "softmax_adjoint", allowed, [&](auto& on) { gp::softmax_adjoint(on, y.on(on), g.on(on), dx.on(on)); }, dx);
    compare(
        "log_softmax", allowed, [&](auto& on) { gp::log_softmax(on, x.on(on), y.on(on)); }, y);
    compare(
        "log_softmax_adjoint", allowed, [&](auto& on) { gp::log_softmax_adjoint(on, y.on(on), g.on(on), dx.on(on)); },
        dx);
    compare(
        "softmax, in place", allowed, [&](auto& on) { gp::softmax(on, x.on(on), x.on(on)); }, x);
  });
}

TEMPLATE_TEST_CASE("losses on a GPU: cross entropy of some rows", "[cuda]", (std::pair<float, std::int32_t>),
                   (std::pair<double, std::int32_t>), (std::pair<float, std::int64_t>),
                   (std::pair<double, std::int64_t>)) {
  using T = typename TestType::first_type;
  using I = typename TestType::second_type;
  for_each_shape([](std::size_t rows, std::size_t classes, margins around) {
    if (rows == 0 || classes == 0) {
      return;
    }
    // Every row in some order, and row 0 nine times more: rows may be named more than once.
    std::vector<I> named(rows + 9, 0);
    std::vector<I> labels(named.size());
    for (std::size_t k = 0; k < named.size(); ++k) {
      named[k] = k < rows ? static_cast<I>(k * 7 % rows) : I(0);
      labels[k] = static_cast<I>(k * 13 % classes);
    }
    const std::span<const I> chosen = named;
    twin<T> x(logits_of<T>(rows, classes, 1), around), losses(1, named.size(), 2), g(1, 1, 3);
    twin<T> slopes(named.size(), classes, 4, {0, around.right}), dx(rows, classes, 5, around);
    compare(
        "cross_entropy", tolerance<T>(classes),
        [&](auto& on) { gp::cross_entropy<T, I>(on, x.on(on), chosen, labels, losses.row_on(on), slopes.on(on)); },
        losses, slopes);
    compare(
        "add_slopes", rounding<T>(10),
        [&](auto& on) { gp::add_slopes<T, I>(on, slopes.on(on), chosen, T(0.3), g.on(on), dx.on(on)); }, dx);
    const std::vector<I> outside{static_cast<I>(rows)};
    CHECK_THROWS_AS((gp::cross_entropy<T, I>(gpu(), x.on(gpu()), outside, {labels.data(), 1},
                                             losses.row_on(gpu()).first(1), slopes.on(gpu()).middle_rows(0, 1))),
                    gp::index_error);
  });
}

TEMPLATE_TEST_CASE("losses on a GPU: divergence from several targets", "[cuda]", float, double) {
  using T = TestType;
  for_each_shape([](std::size_t rows, std::size_t classes, margins around) {
    for (const std::size_t samples : {1, 4}) {
      auto some = probabilities<T>(rows * samples, classes, 1);
      if (!some.empty()) {
        some(0, 0) = 0;  // contributes 0 without eps
      }
      twin<T> targets(some, {0, around.right}), x(logits_of<T>(rows, classes, 2), around);
      twin<T> losses(1, rows, 3), slopes(rows, classes, 4, around), g(1, 1, 5), dx(rows, classes, 6);
      for (const T eps : {T(0), T(1e-3)}) {
        compare(
            "kl_divergence", tolerance<T>(classes * samples),
            [&](auto& on) {
              gp::kl_divergence(on, targets.on(on), x.on(on), samples, eps, losses.row_on(on), slopes.on(on));
            },
            losses, slopes);
      }
      compare(
          "add_slopes of all rows", rounding<T>(1),
          [&](auto& on) { gp::add_slopes<T, int>(on, slopes.on(on), {}, T(0.3), g.on(on), dx.on(on)); }, dx);
    }
  });
}

TEMPLATE_TEST_CASE("losses on a GPU: the released loss, whose slopes add up to nothing", "[cuda]", float, double) {
  using T = TestType;
  constexpr std::size_t samples = 4;
  for_each_shape([](std::size_t rows, std::size_t classes, margins around) {
    twin<T> targets(logits_of<T>(rows * samples, classes, 1), around), x(logits_of<T>(rows, classes, 2), around);
    twin<T> losses(1, rows, 3), slopes(rows, classes, 4);
    const auto call = [&](const gp::executor& on) {
      gp::released_sample_loss(on, targets.on(on), x.on(on), samples, losses.row_on(on), slopes.on(on));
    };
    compare("released_sample_loss", tolerance<T>(classes * samples), call, losses);
    // Every slope is Σ_l (q_l Σt - t_l) with Σq = Σt = 1: only roundings of four terms below 1 are left.
    call(gpu());
    const auto got = slopes.device();
    CHECK(std::all_of(got.values().begin(), got.values().end(),
                      [](T slope) { return std::abs(slope) <= rounding<T>(2 * samples); }));
  });
}

TEMPLATE_TEST_CASE("losses on a GPU: NaN and infinite logits as on the CPU", "[cuda]", float, double) {
  using T = TestType;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const std::vector<int> rows{0, 1, 2, 3, 4, 5};
  const std::vector<int> labels{0, 2, 1, 0, 2, 1};
  const gp::matrix<T> special{{nan, T(1), T(2)},       {T(1), T(2), nan},         {infinity, T(1), T(0)},
                              {-infinity, T(1), T(0)}, {-infinity, -infinity, 0}, {-infinity, -infinity, -infinity}};
  for (const std::size_t width : {3, 40}) {  // eight lanes a row, and a warp a row
    gp::matrix<T> wide(6, width);
    for (std::size_t r = 0; r < 6; ++r) {
      std::copy(special.row(r).begin(), special.row(r).end(), wide.row(r).begin());
    }
    twin<T> x(wide), y(6, width, 1), losses(1, 6, 2);
    compare(
        "softmax", tolerance<T>(width), [&](auto& on) { gp::softmax(on, x.on(on), y.on(on)); }, y);
    compare(
        "log_softmax", tolerance<T>(width), [&](auto& on) { gp::log_softmax(on, x.on(on), y.on(on)); }, y);
    compare(
        "cross_entropy", tolerance<T>(width),
        [&](auto& on) { gp::cross_entropy<T, int>(on, x.on(on), rows, labels, losses.row_on(on), y.on(on)); }, losses,
        y);
  }
  twin<T> x(special), y(6, 3, 1);
  gp::softmax(gpu(), x.on(gpu()), y.on(gpu()));
  CHECK(std::isnan(y.device()(0, 1)));
  CHECK(y.device()(3, 0) == T(0));
  CHECK(y.device()(4, 2) == T(1));
}
