// SPDX-License-Identifier: MIT
// Dropout on a GPU: the masks of the CPU, bit for bit.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cuda/support/twin.hpp"
#include "graphpatcher/cuda/dropout.hpp"
#include "graphpatcher/ops/activation.hpp"
#include "graphpatcher/ops/dropout.hpp"
#include "graphpatcher/ops/elementwise.hpp"

namespace gp = graphpatcher;
using gp::test::compare;
using gp::test::for_each_shape;
using gp::test::gpu;
using gp::test::margins;
using gp::test::rounding;
using gp::test::twin;

namespace {

const gp::random_stream stream(42, gp::purpose::dropout);

// An element is one product, or none: there is nothing to round differently.
constexpr double exact = 0;

/// Keys in no order, some twice; the largest that the type has among them.
template <class I>
std::vector<I> keys_for(std::size_t rows) {
  std::vector<I> keys(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    keys[r] = r % 5 == 0 ? std::numeric_limits<I>::max() - static_cast<I>(r % 2) : static_cast<I>(r * 7919 % 64);
  }
  return keys;
}

}  // namespace

TEMPLATE_TEST_CASE("dropout on a GPU: masks and adjoint", "[cuda]", (std::pair<float, std::int32_t>),
                   (std::pair<double, std::int32_t>), (std::pair<float, std::int64_t>),
                   (std::pair<double, std::int64_t>)) {
  using T = typename TestType::first_type;
  using I = typename TestType::second_type;
  for_each_shape([](std::size_t rows, std::size_t cols, margins around) {
    const auto keys = keys_for<I>(rows);
    for (const double p : {0.0, 0.5, 0.99}) {
      const gp::dropout_options options{stream, p};
      for (const auto row_keys : {std::span<const I>(), std::span<const I>(keys)}) {
        twin<T> x(rows, cols, 1, around), y(rows, cols, 2, around), dx(rows, cols, 3, {0, around.right});
        compare(
            "dropout", exact, [&](auto& on) { gp::dropout<T, I>(on, options, row_keys, x.on(on), y.on(on)); }, y);
        // dx + factor g is rounded once or twice.
        compare(
            "dropout_adjoint", rounding<T>(1),
            [&](auto& on) { gp::dropout_adjoint<T, I>(on, options, row_keys, x.on(on), dx.on(on)); }, dx);
      }
    }
  });
}

TEMPLATE_TEST_CASE("dropout on a GPU: bias, ReLU and dropout in one pass", "[cuda]", (std::pair<float, std::int32_t>),
                   (std::pair<double, std::int64_t>)) {
  using T = typename TestType::first_type;
  using I = typename TestType::second_type;
  const gp::cpu host{1};
  for_each_shape([&](std::size_t rows, std::size_t cols, margins around) {
    const auto keys = keys_for<I>(rows);
    for (const double p : {0.0, 0.3}) {
      twin<T> x(rows, cols, 1, around), bias(1, cols, 2, {around.left, 0}), y(rows, cols, 3, around);
      gp::add_bias(host, x.on(host), bias.on(host), y.on(host));
      gp::relu(host, y.on(host), y.on(host));
      gp::dropout<T, I>(host, {stream, p}, keys, y.on(host), y.on(host));
      gp::backend::bias_relu_dropout<T, I>(gpu(), stream, p, gp::backend::resident(gpu(), std::span<const I>(keys)),
                                           x.on(gpu()), bias.on(gpu()), y.on(gpu()));
      INFO(y.shape() << ", probability " << p);
      CHECK(y.difference() == exact);
    }
  });
}

TEST_CASE("dropout on a GPU: a draw that is just as large as the probability keeps its element", "[cuda]") {
  twin<float> x(1, 4, 1), y(1, 4, 2);
  for (const std::uint32_t draw : stream.bits(0, 0)) {
    const gp::dropout_options options{stream, draw * 0x1.0p-32};
    compare(
        "dropout", exact, [&](auto& on) { gp::dropout<float, int>(on, options, {}, x.on(on), y.on(on)); }, y);
  }
}

TEST_CASE("dropout on a GPU: the mask follows the key, not the place", "[cuda]") {
  const gp::dropout_options options{stream, 0.5};
  gp::matrix<float> ones(6, 130);
  ones.fill(1);
  const auto x = gp::test::to_gpu(ones);
  const auto mask_of = [&](const std::vector<int>& keys) {
    gp::matrix<float> y(gpu(), keys.size(), 130);
    gp::dropout<float, int>(gpu(), options, keys, x.view().middle_rows(0, keys.size()), y.view());
    return gp::test::to_host(y);
  };
  const auto together = mask_of({3, 9, 3, 0, 1 << 30, 2});
  const auto alone = mask_of({1 << 30});
  for (std::size_t c = 0; c < 130; ++c) {
    CHECK(together(4, c) == alone(0, c));
    CHECK(together(0, c) == together(2, c));
  }
  const auto dropped = std::count(together.values().begin(), together.values().end(), 0.0f);
  CHECK(std::abs(static_cast<double>(dropped) - 390) < 80);  // of 780 with p = 1/2: a deviation is 14
}

TEST_CASE("dropout on a GPU: what does not fit is refused", "[cuda]") {
  gp::matrix<float> x(gpu(), 3, 4);
  const std::vector<int> two{1, 2};
  CHECK_THROWS_AS((gp::dropout<float, int>(gpu(), {stream, 0.5}, two, x, x.view())), gp::shape_error);
  CHECK_THROWS_AS((gp::dropout<float, int>(gpu(), {stream, 1.0}, {}, x, x.view())), gp::argument_error);
  gp::matrix<float> narrow(gpu(), 3, 3);
  CHECK_THROWS_AS((gp::dropout_adjoint<float, int>(gpu(), {stream, 0.5}, {}, x, narrow.view())), gp::shape_error);
}
