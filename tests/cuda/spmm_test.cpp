// SPDX-License-Identifier: MIT
// Sparse products on a GPU, and their adjoints.
#include "graphpatcher/cuda/spmm.hpp"
#include "graphpatcher/ops/spmm.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "cuda/support/hubs.hpp"
#include "cuda/support/like_cpu.hpp"
#include "support/compare.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using namespace gp::test;
using gp::spmm_balance;
using random_input::values;
using support::same_bits;

namespace {

/// What takes part in a product.
struct factors {
  std::size_t cols;
  std::size_t heads = 0;  ///< of the weights; 0: no weights
  bool left = false;
  bool right = false;
  std::size_t gap = 0;  ///< columns beside those of each matrix
};

/// The matrices of a product, in this order.
enum role { x, gradient, left, right, weights, out, x_gradient, weights_gradient };

template <class T, class I>
matrices<T> numbers_for(const gp::message_block<I>& block, const factors& f) {
  const std::size_t cols = f.cols + 2 * f.gap;
  const std::size_t heads = std::max<std::size_t>(f.heads, 1);
  const std::size_t sources = block.source_rows();
  return {values<T>(sources, cols, 1), values<T>(block.rows(), cols, 2),   values<T>(1, block.rows(), 3),
          values<T>(1, sources, 4),    values<T>(block.edges(), heads, 5), values<T>(block.rows(), cols, 6),
          values<T>(sources, cols, 7), values<T>(block.edges(), heads, 8)};
}

template <class T>
gp::spmm_scales<T> scales_of(const matrices<T>& m, const factors& f) {
  gp::spmm_scales<T> scales;
  if (f.left) {
    scales.left = all_of(m[left]);
  }
  if (f.right) {
    scales.right = all_of(m[right]);
  }
  if (f.heads > 0) {
    scales.weights = m[weights];
  }
  return scales;
}

/// The product and both adjoints over a block.
template <class T, class I>
void check_product(const gp::message_block<I>& block, const factors& f) {
  INFO(block.rows() << " rows, " << f.cols << " columns, " << f.heads << " heads, gap " << f.gap);
  const std::size_t terms = std::max(longest_sum(block.graph()), f.cols);
  check_like_cpu(numbers_for<T>(block, f), rounding<T>(terms), [&](const gp::executor& exec, matrices<T>& m) {
    const auto scales = scales_of(m, f);
    gp::spmm(exec, block, scales, inner(m[x], f.gap), inner(m[out], f.gap));
    gp::spmm_adjoint(exec, block, scales, inner(m[gradient], f.gap), inner(m[x_gradient], f.gap));
    gp::spmm_weights_adjoint(exec, block, scales, inner(m[gradient], f.gap), inner(m[x], f.gap),
                             m[weights_gradient].view());
  });
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("a sparse product on a GPU: every width, factor and stride", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const auto graph = random_input::messages<I>(24, 1);
  const std::vector<factors> cases{
      {1},
      {3, 1, true, true},
      {7, 0, true, false, 1},
      {32, 0, false, true},
      {33, 1, true, true, 3},
      {64, 1, false, true, 4},
      {130, 0, true, true},
      {256, 0, true, false},
      {12, 4, true, true},       // a pack a head in float
      {15, 3, false, false, 1},  // heads that no pack fits
      {64, 8, true, false},
      {66, 33, false, true},  // more heads than lanes
  };
  for (const auto& which : cases) {
    for (const auto& block : random_input::blocks(graph)) {
      check_product<T>(block, which);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("a sparse product on a GPU: hubs among short rows", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const auto graph = messages_with_hubs<I>();
  check_product<T>(graph.all(), {3, 1, true, true});
  check_product<T>(graph.towards(1), {32, 0, true, true});
  check_product<T>(graph.towards(0), {20, 5, false, true});
}

TEMPLATE_TEST_CASE("a sparse product on a GPU: rows around a warp and a block, and none", "[cuda]", float, double) {
  using T = TestType;
  for (const std::size_t rows : {1, 31, 32, 33, 127, 129, 257}) {
    const auto graph = messages_of_rows<int>(rows);
    check_product<T>(graph.all(), {1, 0, true, true});
    check_product<T>(graph.all(), {20});
  }
  const auto no_edges = messages_of_degrees<int>(std::vector<std::size_t>(35, 0), 35, 35);
  check_product<T>(no_edges.all(), {5, 1, true, true});
  const auto one_row = messages_of_degrees<int>({9}, 1, 1);
  check_product<T>(one_row.all(), {1024, 0, true, true});
  const auto nothing = messages_of_degrees<int>({}, 0, 0);
  check_product<T>(nothing.all(), {5});
}

TEMPLATE_TEST_CASE("a sparse product on a GPU reads rows of a table in place", "[cuda]", float, double) {
  using T = TestType;
  const auto graph = random_input::messages<std::int64_t>(50, 2);
  const auto block = graph.towards(1);
  std::vector<std::int64_t> gather(block.source_rows());
  for (std::size_t j = 0; j < gather.size(); ++j) {
    gather[j] = static_cast<std::int64_t>(j * 7 % 13);  // of 13 rows, most of them many times
  }
  for (const factors& f : {factors{33, 0, true, true}, factors{64, 2, false, true, 4}}) {
    auto start = numbers_for<T>(block, f);
    start[x] = values<T>(13, f.cols + 2 * f.gap, 9);
    const auto change = [&](const gp::executor& exec, matrices<T>& m) {
      gp::spmm<T, std::int64_t>(exec, block.offsets(), block.sources(), scales_of(m, f), gather, inner(m[x], f.gap),
                                inner(m[out], f.gap));
    };
    check_like_cpu(start, rounding<T>(longest_sum(graph)), change);
  }
}

TEMPLATE_TEST_CASE("a sparse product on a GPU: cutting hubs changes their rounding alone", "[cuda]", float, double) {
  using T = TestType;
  const auto graph = messages_with_hubs<int>();
  const auto block = graph.all();
  const factors f{9, 1, true, true};
  const auto start = numbers_for<T>(block, f);
  const auto magnitudes = changed(gp::cpu{1}, absolute(start), [&](const gp::executor& exec, matrices<T>& m) {
    gp::spmm(exec, block, scales_of(m, f), m[x], m[out].view());
    gp::spmm_adjoint(exec, block, scales_of(m, f), m[gradient], m[x_gradient].view());
  });
  const auto with = [&](spmm_balance balance) {
    return changed(gpu(), start, [&](const gp::executor&, matrices<T>& m) {
      const auto edges = block.both_ways_on(gpu());
      gp::backend::spmm<T, int>(gpu(), edges, scales_of(m, f), {}, m[x], m[out], balance);
      gp::backend::spmm_adjoint<T, int>(gpu(), edges, scales_of(m, f), m[gradient], m[x_gradient], balance);
    });
  };
  const double tolerance = rounding<T>(longest_sum(graph));
  const auto by_rows = with(spmm_balance::rows);
  const auto by_nonzeros = with(spmm_balance::nonzeros);
  std::size_t cut = 0;
  for (const role result : {out, x_gradient}) {
    const auto& lengths = result == out ? graph.in_degree : graph.out_degree;
    CHECK(relative_error(by_nonzeros[result], by_rows[result], magnitudes[result]) <= tolerance);
    for (std::size_t row = 0; row < lengths.size(); ++row) {
      const auto same = std::ranges::equal(by_rows[result].row(row), by_nonzeros[result].row(row));
      INFO("row " << row << " of " << lengths[row] << " entries");
      CHECK((same || lengths[row] > 512));
      cut += same ? 0 : 1;
    }
  }
  CHECK(cut > 0);
  for_each_schedule([&] {  // no order of the blocks changes a bit; with hubs there, `automatic` cuts
    const auto by_rows_again = with(spmm_balance::rows);
    const auto automatic = with(spmm_balance::automatic);
    for (const role result : {out, x_gradient}) {
      CHECK(same_bits(by_rows_again[result], by_rows[result]));
      CHECK(same_bits(automatic[result], by_nonzeros[result]));
    }
  });
}

TEMPLATE_TEST_CASE("a sparse product on a GPU: a row has the same bits in every block", "[cuda]", float, double) {
  using T = TestType;
  const auto graph = messages_with_hubs<int>();
  const auto table = values<T>(graph.nodes(), 24, 1).copy_on(gpu());
  const auto product = [&](const gp::message_block<int>& block) {
    gp::matrix<T> sums(gpu(), block.rows(), 24);
    gp::spmm(gpu(), block, {}, table, sums.view());
    return to_host(sums);
  };
  const auto whole = product(graph.all());
  const auto targets = product(graph.towards(0));
  CHECK(same_bits(targets.view(), whole.view().middle_rows(0, targets.rows())));
}

TEST_CASE("a sparse product on a GPU: a NaN reaches those who receive it and no others", "[cuda]") {
  const auto graph = random_input::messages<int>(40, 3);
  auto table = values<float>(graph.nodes(), 9, 1);
  std::ranges::fill(table.row(7), std::numeric_limits<float>::quiet_NaN());
  const auto on_gpu = to_gpu(table);
  gp::matrix<float> sums(gpu(), graph.nodes(), 9);
  gp::spmm(gpu(), graph.all(), {}, on_gpu, sums.view());
  const auto got = to_host(sums);
  for (std::size_t row = 0; row < graph.nodes(); ++row) {
    const auto first = graph.sources.begin() + graph.offsets[row];
    const auto last = graph.sources.begin() + graph.offsets[row + 1];
    for (const float sum : got.row(row)) {
      CHECK(std::isnan(sum) == (std::find(first, last, 7) != last));
    }
  }
}
