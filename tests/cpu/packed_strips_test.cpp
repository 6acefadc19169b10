// SPDX-License-Identifier: MIT
#include "graphpatcher/cpu/packed_strips.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphpatcher/ops/spmm.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
namespace be = graphpatcher::backend;
using namespace random_input;

namespace {

const gp::cpu one{.threads = 1};

/// The columns [begin, end) of a matrix.
gp::matrix<double> columns(const gp::matrix<double>& x, std::size_t begin, std::size_t end) {
  gp::matrix<double> result(x.rows(), end - begin);
  for (std::size_t r = 0; r < x.rows(); ++r) {
    std::copy_n(&x.row(r)[begin], end - begin, result.row(r).begin());
  }
  return result;
}

}  // namespace

TEST_CASE("packed strips: every column once, in order, beside each other") {
  const auto x = values<double>(5, 70, 1);
  for (const int threads : {1, 3}) {
    std::vector<std::size_t> firsts;
    be::for_each_packed_strip<double>(
        gp::cpu{threads}, 5, 70, [&](std::size_t j) { return x.row(4 - j).data(); },
        [&](gp::matrix_view<const double> strip, std::size_t first) {
          firsts.push_back(first);
          CHECK(strip.contiguous());
          CHECK(strip.rows() == 5);
          CHECK(strip.cols() == std::min<std::size_t>(be::strip_bytes / sizeof(double), 70 - first));
          for (std::size_t j = 0; j < 5; ++j) {
            CHECK(std::equal(strip.row(j).begin(), strip.row(j).end(), &x(4 - j, first)));
          }
        });
    CHECK(firsts == std::vector<std::size_t>{0, 32, 64});
  }
}

TEST_CASE("packed strips: for wide tables beyond a cache whose rows are read often") {
  CHECK(be::packing_pays<float>(65536, 1024, 1'700'000));
  CHECK(be::packing_pays<double>(65536, 512, 1'700'000));
  CHECK_FALSE(be::packing_pays<float>(65536, 128, 1'700'000));      // hardly wider than a strip
  CHECK(be::packing_pays<float>(2708, 1024, 13'000));               // strips of it fit a core's own cache
  CHECK_FALSE(be::packing_pays<float>(2708, 1024, 6'000));          // rows are read twice
  CHECK_FALSE(be::packing_pays<float>(5000, 1024, 1'700'000));      // 20 MB: the last cache keeps it
  CHECK_FALSE(be::packing_pays<float>(65536, 1024, 100'000));       // rows are read once or twice
  CHECK_FALSE(be::packing_pays<float>(400'000, 1024, 17'000'000));  // nor would a strip be kept
  CHECK_FALSE(be::packing_pays<float>(0, 0, 0));
}

TEST_CASE("packed strips: sparse products have the bits that a few columns alone have") {
  constexpr std::size_t nodes = 3000, width = 683, heads = 3;  // heads end inside of strips, the last has one column
  const auto graph = messages<std::int32_t>(nodes, 1);
  const auto block = graph.all();
  REQUIRE(be::packing_pays<double>(nodes, width * heads, block.edges()));
  const auto left = values<double>(1, nodes, 2), right = values<double>(1, nodes, 3);
  const auto weights = values<double>(block.edges(), heads, 4);
  const auto x = values<double>(nodes, width * heads, 5), start = values<double>(nodes, width * heads, 6);
  gp::matrix<double> out(nodes, width * heads);
  auto gradient = start;
  const gp::spmm_scales<double> scales{left.values(), right.values(), weights};
  gp::spmm(gp::cpu{3}, block, scales, x, out.view());
  gp::spmm_adjoint(gp::cpu{3}, block, scales, x, gradient.view());

  for (const std::size_t head : {0u, 1u, 2u}) {
    const auto weights_of_head = columns(weights, head, head + 1);
    const gp::spmm_scales<double> of_head{left.values(), right.values(), weights_of_head};
    for (const std::size_t first : {head * width, head * width + 40, (head + 1) * width - 9}) {
      gp::matrix<double> few(nodes, 9);
      gp::spmm(one, block, of_head, columns(x, first, first + 9), few.view());
      CHECK(std::ranges::equal(few.values(), columns(out, first, first + 9).values()));
      auto few_gradient = columns(start, first, first + 9);
      gp::spmm_adjoint(one, block, of_head, columns(x, first, first + 9), few_gradient.view());
      CHECK(std::ranges::equal(few_gradient.values(), columns(gradient, first, first + 9).values()));
    }
  }
}
