// SPDX-License-Identifier: MIT
// Sparse products on a GPU that read 16-bit numbers, and the rounding to those.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "cuda/support/hubs.hpp"
#include "cuda/support/like_cpu.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "graphpatcher/cuda/spmm.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "support/compare.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using namespace gp::test;
using gp::spmm_balance;
using random_input::values;

namespace {

template <class S>
S narrowed(float value) {
  if constexpr (std::is_same_v<S, gp::float16>) {
    return gp::to_float16(value);
  } else {
    return gp::to_bfloat16(value);
  }
}

template <class S>
gp::matrix<S> narrowed(const gp::matrix<float>& wide) {
  gp::matrix<S> result(wide.rows(), wide.cols());
  std::ranges::transform(wide.values(), result.values().begin(), [](float value) { return narrowed<S>(value); });
  return result;
}

/// What takes part in a product.
struct factors {
  std::size_t cols;
  std::size_t heads = 0;  ///< of the weights; 0: no weights
  bool scaled = false;    ///< left and right
  std::size_t gap = 0;    ///< columns beside those of each matrix
};

/// The matrices of a product, in this order.
enum role { x, left, right, weights, out };

/// The sums are floats, so they are those that the CPU makes of the same numbers
/// stored as floats. `gather` may be empty.
template <class S>
void check_product(const gp::message_block<int>& block, const factors& f, spmm_balance balance,
                   const std::vector<int>& gather = {}) {
  INFO(block.rows() << " rows, " << f.cols << " columns, " << f.heads << " heads, gap " << f.gap);
  const std::size_t cols = f.cols + 2 * f.gap;
  const auto table = narrowed<S>(values<float>(block.source_rows(), cols, 1));
  auto table_there = table.copy_on(gpu());
  matrices<float> start{values<float>(table.rows(), cols, 1), values<float>(1, block.rows(), 2),
                        values<float>(1, block.source_rows(), 3), values<float>(block.edges(), f.heads, 4),
                        values<float>(block.rows(), cols, 5)};
  std::ranges::transform(table.values(), start[x].values().begin(), [](S value) { return gp::to_float(value); });
  const gp::backend::device_array<int> gather_there(gpu(), gather);
  const auto change = [&](const gp::executor& exec, matrices<float>& m) {
    gp::spmm_scales<float> scales{.weights = m[weights]};
    if (f.scaled) {
      scales.left = all_of(m[left]);
      scales.right = all_of(m[right]);
    }
    if (exec.on_host()) {
      gp::spmm<float, int>(exec, block.offsets(), block.sources(), scales, gather, inner(m[x], f.gap),
                           inner(m[out], f.gap));
    } else {
      gp::backend::spmm<int>(gpu(), block.on(gpu()), scales, gather_there, inner(table_there, f.gap),
                             inner(m[out], f.gap), balance);
    }
  };
  check_like_cpu(start, rounding<float>(longest_sum(block.graph())), change);
}

}  // namespace

TEMPLATE_TEST_CASE("a product with 16-bit numbers on a GPU: every width, factor and stride", "[cuda]", gp::float16,
                   gp::bfloat16) {
  const auto graph = random_input::messages<int>(40, 1);
  const std::vector<factors> cases{
      {1},           {3, 1, true}, {7, 0, true, 1}, {8, 0, false, 8}, {32, 0, true}, {33, 1, true},   {64, 0, true},
      {64, 8, true}, {64, 16},     {130, 0, true},  {256, 2, true},   {1024},        {40, 5, true, 4}  // no packs
  };
  for (const auto& which : cases) {
    for (const auto& block : random_input::blocks(graph)) {
      check_product<TestType>(block, which, spmm_balance::automatic);
    }
  }
}

TEMPLATE_TEST_CASE("a product with 16-bit numbers on a GPU: hubs, cut and whole", "[cuda]", gp::float16, gp::bfloat16) {
  const auto graph = messages_with_hubs<int>();
  for (const auto balance : {spmm_balance::rows, spmm_balance::nonzeros, spmm_balance::automatic}) {
    check_product<TestType>(graph.all(), {16, 2, true}, balance);
    check_product<TestType>(graph.towards(0), {5}, balance);
  }
}

TEMPLATE_TEST_CASE("a product with 16-bit numbers on a GPU: rows around a warp and a block, and none", "[cuda]",
                   gp::float16, gp::bfloat16) {
  for (const std::size_t rows : {0, 1, 31, 33, 129}) {
    const auto graph = messages_of_rows<int>(rows);
    check_product<TestType>(graph.all(), {16, 0, true}, spmm_balance::automatic);
  }
  const auto no_edges = messages_of_degrees<int>({0, 0, 0}, 3, 3);
  check_product<TestType>(no_edges.all(), {16}, spmm_balance::nonzeros);
}

TEMPLATE_TEST_CASE("a product with 16-bit numbers on a GPU reads rows of a table in place", "[cuda]", gp::float16,
                   gp::bfloat16) {
  const auto graph = random_input::messages<int>(40, 2);
  std::vector<int> gather(graph.nodes());
  for (std::size_t j = 0; j < gather.size(); ++j) {
    gather[j] = static_cast<int>(j * 7 % 13);
  }
  check_product<TestType>(graph.all(), {24, 0, true}, spmm_balance::automatic, gather);
}

TEMPLATE_TEST_CASE("rounding to 16 bits on a GPU: the bits of the CPU", "[cuda]", gp::float16, gp::bfloat16) {
  using limits = std::numeric_limits<float>;
  // ties of both formats, the ends of their ranges, subnormal numbers, what is no number
  const std::vector<float> special{0.0f,
                                   -0.0f,
                                   1 + 0x1p-11f,
                                   1 + 0x3p-11f,
                                   1 + 0x1p-8f,
                                   1 + 3.0f / 256,
                                   65504,
                                   65519.996f,
                                   65520,
                                   -65520,
                                   0x1p-14f,
                                   0x1p-24f,
                                   0x1p-25f,
                                   0x3p-25f,
                                   -1e-8f,
                                   0x1.ffcp-15f,
                                   limits::max(),
                                   limits::denorm_min(),
                                   limits::infinity(),
                                   -limits::infinity(),
                                   limits::quiet_NaN()};
  for (const auto& [rows, cols, gap] : {std::tuple{1, 23, 1}, {70, 33, 0}, {3, 300, 2}, {300, 1, 0}}) {
    auto wide = values<float>(rows, cols, 1);
    std::copy_n(special.begin(), std::min(special.size(), wide.size()), wide.values().begin());
    gp::matrix<TestType> expected(wide.rows(), wide.cols());  // 0 where nothing is to be written
    for (std::size_t r = 0; r < wide.rows(); ++r) {
      std::ranges::transform(inner(wide, gap).row(r), inner(expected, gap).row(r).begin(),
                             [](float value) { return narrowed<TestType>(value); });
    }
    auto wide_there = wide.copy_on(gpu());
    for_each_schedule([&] {
      gp::matrix<TestType> narrow(gpu(), wide.rows(), wide.cols());
      gp::backend::narrow(gpu(), inner(wide_there, gap), inner(narrow, gap));
      CHECK(support::same_bits(to_host(narrow), expected));
    });
  }
}
