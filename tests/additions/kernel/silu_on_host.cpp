// SPDX-License-Identifier: MIT
// docs/adding-a-kernel.md: its kernel, run on the processor (tests/gpu_host).
#include "additions/kernel/silu.hpp"

#include <catch2/catch.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "additions/op/silu.hpp"
#include "cuda/support/like_cpu.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using namespace gp::test;
using random_input::values;

TEMPLATE_TEST_CASE("silu on a GPU is that of the processor", "[additions]", float, double) {
  using T = TestType;
  own::use_silu_kernels();
  // rows, columns, columns beside those
  const std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> cases{
      {0, 4, 0}, {1, 1, 0}, {3, 5, 1}, {100, 7, 0}, {2, 300, 2}};
  // exp, a sum, a quotient and, on the way back, four products and two sums: a few roundings each
  const double tolerance = rounding<T>(16);
  for (const auto& [rows, cols, gap] : cases) {
    INFO(rows << " x " << cols << ", gap " << gap);
    const std::size_t width = cols + 2 * gap;
    const matrices<T> start{values<T>(rows, width, 1), values<T>(rows, width, 2), values<T>(rows, width, 3)};
    gp::matrix<T> one(rows, width);
    one.fill(1);
    const matrices<T> ones(3, one);
    check_like_cpu(start, ones, tolerance, [&, gap = gap](const gp::executor& exec, matrices<T>& m) {
      own::silu<T>(exec, inner(m[0], gap), inner(m[1], gap));
      own::silu_adjoint<T>(exec, inner(m[0], gap), inner(m[1], gap), inner(m[2], gap));
    });
  }
}

TEST_CASE("silu on a tape that is on the GPU", "[additions]") {
  own::use_silu_kernels();
  const auto x = values<float>(3, 5, 1);
  const auto there = x.copy_on(gpu());
  gp::tape<float> on_gpu(gpu()), on_cpu;
  const auto got = gp::to_host(gpu(), own::silu(on_gpu.constant(there)).value());
  const auto expected = gp::to_host(gp::cpu{}, own::silu(on_cpu.constant(x)).value());
  CHECK(relative_difference(got, expected) < rounding<float>(8));
}

TEST_CASE("silu without its kernels says so", "[additions]") {
  const auto filled = std::exchange(own::silu_table<float>, {});
  const auto x = gp::matrix<float>(2, 3).copy_on(gpu());
  gp::matrix<float> y(gpu(), 2, 3);
  CHECK_THROWS_AS(own::silu<float>(gpu(), x, y.view()), gp::backend_error);
  own::silu_table<float> = filled;
}
