// SPDX-License-Identifier: MIT
// What the CUDA backend makes of any graph and any sparse rows is what the processor makes of them, to rounding.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "graphpatcher/ops/dropout.hpp"
#include "graphpatcher/ops/edge_softmax.hpp"
#include "graphpatcher/ops/gather.hpp"
#include "graphpatcher/ops/loss.hpp"
#include "graphpatcher/ops/segment_reduce.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "properties/on_cuda/like_cpu.hpp"
#include "support/compare.hpp"

using namespace on_cuda;
using gp::executor;
using gp::test::all_of;
using gp::test::longest_sum;

namespace {

template <class T>
std::span<T> all_of(gp::matrix<T>& m) {
  return {m.data(), m.size()};
}

/// A table with rows and columns of zeros among the others, sparse or dense.
template <class T, class I>
gp::feature_table<T, I> table(std::size_t rows, std::size_t cols) {
  auto values = numbers<T>(rows, cols);
  for (const I row : ids_below<I>(rows)) {
    std::ranges::fill(values.row(static_cast<std::size_t>(row)), T(0));
  }
  for (T& value : values.values()) {
    value = value < T(0.3) ? T(0) : value;
  }
  return size(0, 3) == 0 ? gp::feature_table<T, I>(std::move(values)) : gp::sparse_from_dense<I>(values.view());
}

/// Where the own values of rows start: with gaps.
template <class T, class I>
std::vector<std::size_t> value_offsets(const gp::feature_rows<T, I>& rows) {
  std::vector<std::size_t> offsets{size(0, 3)};
  for (std::size_t r = 0; r < rows.ids.size(); ++r) {
    offsets.push_back(offsets.back() + rows.stored(r) + r % 2);
  }
  return offsets;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("CUDA as the processor: any graph", "[properties]", gp::test::all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  rc::prop("sparse products", [] {
    const auto graph = messages<I>();
    const auto block = block_of(graph);
    const std::size_t heads = size(0, 4), width = size(1, 20), gap = size(0, 4);
    const std::size_t cols = std::max<std::size_t>(heads, 1) * width, wide = cols + 2 * gap;
    const bool scaled = size(0, 1) == 1;
    const auto rows = [&](std::size_t count) { return numbers<T>(count, wide); };
    const matrices<T> start{rows(block.source_rows()),
                            rows(block.rows()),
                            numbers<T>(1, block.rows()),
                            numbers<T>(1, block.source_rows()),
                            numbers<T>(block.edges(), std::max<std::size_t>(heads, 1)),
                            rows(block.rows()),
                            rows(block.source_rows()),
                            numbers<T>(block.edges(), std::max<std::size_t>(heads, 1))};
    expect_like_cpu(start, rounding<T>(std::max(longest_sum(graph), cols)), [&](const executor& on, matrices<T>& m) {
      gp::spmm_scales<T> scales;
      if (scaled) {
        scales.left = all_of(std::as_const(m[2]));
        scales.right = all_of(std::as_const(m[3]));
      }
      if (heads > 0) {
        scales.weights = m[4];
      }
      gp::spmm(on, block, scales, inner(m[0], gap), inner(m[5], gap));
      gp::spmm_adjoint(on, block, scales, inner(m[1], gap), inner(m[6], gap));
      gp::spmm_weights_adjoint(on, block, scales, inner(m[1], gap), inner(m[0], gap), m[7].view());
    });
  });
  rc::prop("sums, means and maxima of segments", [] {
    const auto graph = messages<I>();
    const auto block = block_of(graph);
    const std::size_t cols = size(1, 40), gap = size(0, 4), wide = cols + 2 * gap;
    const auto how = size(0, 1) == 0 ? gp::reduction::sum : gp::reduction::mean;
    const auto rows = [&](std::size_t count) { return numbers<T>(count, wide); };
    const std::span<const I> offsets = block.offsets();
    expect_like_cpu<T>({rows(block.edges()), rows(block.rows()), rows(block.rows()), rows(block.edges())},
                       rounding<T>(longest_sum(graph)), [&](const executor& on, matrices<T>& m) {
                         gp::segment_reduce(on, offsets, inner(m[0], gap), how, inner(m[2], gap));
                         gp::segment_reduce_adjoint(on, offsets, how, inner(m[1], gap), inner(m[3], gap));
                       });
    // Maxima are copied and winners are ids, of equals the first: there are many.
    auto tied = rows(std::max(block.edges(), block.source_rows()));
    for (T& value : tied.values()) {
      value = std::round(value * 4);
    }
    gp::matrix<I> expected[2];
    const matrices<T> start{
        tied, rows(block.rows()), rows(block.rows()), rows(tied.rows()), rows(block.rows()), rows(tied.rows())};
    auto magnitudes = gp::test::absolute(start);
    std::ranges::fill(magnitudes[2].values(), T(0));
    std::ranges::fill(magnitudes[4].values(), T(0));
    for (const std::size_t gradient : {3, 5}) {
      std::ranges::fill(magnitudes[gradient].values(), static_cast<T>(block.rows() + 1));
    }
    expect_like_cpu(start, magnitudes, rounding<T>(block.rows() + 1), [&](const executor& on, matrices<T>& m) {
      gp::matrix<I> winners[2]{{on, block.rows(), cols}, {on, block.rows(), cols}};
      const auto sources = [&](std::size_t k) { return inner(m[k], gap).middle_rows(0, block.source_rows()); };
      const auto edges = [&](std::size_t k) { return inner(m[k], gap).middle_rows(0, block.edges()); };
      gp::segment_max(on, block, sources(0), all_of(winners[0]), inner(m[2], gap));
      gp::segment_max_adjoint<T, I>(on, block, all_of(std::as_const(winners[0])), inner(m[1], gap), sources(3));
      gp::segment_max<T, I>(on, offsets, edges(0), all_of(winners[1]), inner(m[4], gap));
      gp::segment_max_adjoint<T, I>(on, all_of(std::as_const(winners[1])), inner(m[1], gap), edges(5));
      for (int k = 0; k < 2; ++k) {
        const auto here = winners[k].copy_on(gp::cpu{});
        RC_ASSERT(on.on_host() || support::same_bits(here, expected[k]));
        expected[k] = here;
      }
    });
  });
  rc::prop("attention over edges", [] {
    const auto graph = messages<I>();
    const auto block = block_of(graph);
    const std::size_t heads = size(1, 9), gap = size(0, 4), wide = heads + 2 * gap;
    const auto rows = [&](std::size_t count) { return numbers<T>(count, wide); };
    const T slope = T(0.2);
    const matrices<T> scores{rows(block.source_rows()), rows(block.rows()),  rows(block.edges()),
                             rows(block.edges()),       rows(block.edges()), rows(block.source_rows()),
                             rows(block.rows())};
    expect_like_cpu(scores, rounding<T>(longest_sum(graph)), [&](const executor& on, matrices<T>& m) {
      gp::edge_scores(on, block, inner(m[0], gap), inner(m[1], gap), slope, inner(m[4], gap));
      gp::edge_scores_adjoint_rows(on, block, inner(m[3], gap), slope, inner(m[2], gap), inner(m[6], gap));
      gp::edge_scores_adjoint_sources(on, block, inner(m[3], gap), slope, inner(m[2], gap), inner(m[5], gap));
    });
    matrices<T> start{rows(block.edges()), rows(block.edges()), rows(block.edges()), rows(block.edges())};
    for (T& score : start[0].values()) {
      score *= 30;
    }
    // A share is off by the roundings of its sum and some of its exponential, relative to itself.
    const double tolerance = rounding<T>(longest_sum(graph) + 4);
    const auto softmax = [&](const executor& on, matrices<T>& m) {
      gp::edge_softmax(on, block, inner(m[0], gap), inner(m[2], gap));
    };
    start = gp::test::changed(gp::cpu{1}, start, softmax);
    expect_like_cpu(start, gp::test::absolute(start), tolerance, softmax);
    auto magnitudes = gp::test::absolute(start);  // |a (g - sum of a g)| <= 2 a, and what was there
    for (std::size_t i = 0; i < magnitudes[3].size(); ++i) {
      magnitudes[3].values()[i] += 2 * magnitudes[2].values()[i];
    }
    expect_like_cpu(start, magnitudes, tolerance, [&](const executor& on, matrices<T>& m) {
      gp::edge_softmax_adjoint(on, block, inner(m[2], gap), inner(m[1], gap), inner(m[3], gap));
    });
  });
  rc::prop("rows by id", [] {
    const auto at = layout::draw(1, 1);
    const auto ids = ids_below<I>(at.rows);
    expect_same<T>({numbers<T>(at.rows, at.wide()), numbers<T>(ids.size(), at.wide())},
                   [&](const executor& on, matrices<T>& m) {
                     gp::gather_rows<T, I>(on, inner(m[0], at.gap), ids, inner(m[1], at.gap));
                   });
    expect_like_cpu<T>({numbers<T>(ids.size(), at.wide()), numbers<T>(at.rows, at.wide())}, rounding<T>(ids.size() + 1),
                       [&](const executor& on, matrices<T>& m) {
                         gp::scatter_add_rows<T, I>(on, inner(m[0], at.gap), ids, inner(m[1], at.gap));
                       });
    if (ids.empty()) {
      return;  // a loss has rows
    }
    std::vector<I> labels;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      labels.push_back(static_cast<I>(size(0, at.cols - 1)));
    }
    // Losses of logits in [-1, 1) are at most 2 + log(cols) < 7.
    expect_like_cpu_up_to<T>(
        7, {numbers<T>(at.rows, at.wide()), numbers<T>(1, ids.size()), numbers<T>(ids.size(), at.wide())},
        rounding<T>(at.cols + 12), [&](const executor& on, matrices<T>& m) {
          gp::cross_entropy<T, I>(on, inner(m[0], at.gap), ids, labels, all_of(m[1]), inner(m[2], at.gap));
        });
    expect_like_cpu<T>({numbers<T>(ids.size(), at.wide()), numbers<T>(1, 1), numbers<T>(at.rows, at.wide())},
                       rounding<T>(ids.size() + 4), [&](const executor& on, matrices<T>& m) {
                         gp::add_slopes<T, I>(on, inner(m[0], at.gap), ids, T(0.3), m[1].view(), inner(m[2], at.gap));
                       });
  });
  rc::prop("dropout, with the masks of a stream", [] {
    const auto at = layout::draw();
    const gp::dropout_options half{gp::random_stream(arbitrary::seed(), gp::purpose::dropout), 0.5};
    std::vector<I> keys;
    for (std::size_t r = 0, count = at.rows * size(0, 1); r < count; ++r) {  // none: the row's own number
      keys.push_back(*rc::gen::inRange<I>(0, std::numeric_limits<I>::max()));
    }
    // 2 x or nothing, which is added with one rounding
    expect_same<T>({numbers<T>(at.rows, at.wide()), numbers<T>(at.rows, at.wide()), numbers<T>(at.rows, at.wide())},
                   [&](const executor& on, matrices<T>& m) {
                     gp::dropout<T, I>(on, half, keys, inner(m[0], at.gap), inner(m[1], at.gap));
                     gp::dropout_adjoint<T, I>(on, half, keys, inner(m[0], at.gap), inner(m[2], at.gap));
                   });
  });
  rc::prop("products with rows of features", [] {
    const auto at = layout::draw(1, 1);
    const auto features = table<T, I>(at.rows, at.cols);
    const auto ids = ids_below<I>(at.rows, -1);
    const gp::feature_rows<T, I> plain{&features, ids};
    const auto offsets = value_offsets(plain);
    const gp::dropout_options half{gp::random_stream(arbitrary::seed(), gp::purpose::dropout), 0.5};
    const std::size_t width = size(1, 40), wide = width + 2 * at.gap;
    const matrices<T> start{
        numbers<T>(at.cols, wide),    numbers<T>(ids.size(), wide), numbers<T>(1, offsets.back()),
        numbers<T>(ids.size(), wide), numbers<T>(at.cols, wide),    numbers<T>(ids.size(), at.wide()),
        numbers<T>(ids.size(), wide), numbers<T>(at.cols, wide),    numbers<T>(ids.size(), at.wide())};
    // Features are at least 0: absolute values of the other numbers give the magnitudes.
    expect_like_cpu(start, rounding<T>(ids.size() + at.cols), [&](const executor& on, matrices<T>& m) {
      auto x = plain;
      gp::sparse_gemm(on, x, inner(m[0], at.gap), inner(m[3], at.gap));
      gp::sparse_gemm_adjoint(on, x, inner(m[1], at.gap), inner(m[4], at.gap));
      gp::sparse_to_dense(on, x, inner(m[5], at.gap));
      gp::sparse_dropout<T, I>(on, half, x, offsets, {m[2].data(), m[2].size()});
      x.values = all_of(std::as_const(m[2]));
      x.value_offsets = offsets;
      gp::sparse_gemm(on, x, inner(m[0], at.gap), inner(m[6], at.gap));
      gp::sparse_gemm_adjoint(on, x, inner(m[1], at.gap), inner(m[7], at.gap));
      gp::sparse_to_dense(on, x, inner(m[8], at.gap));
    });
  });
  SECTION("no operation was left out") {
    CHECK((counted::missing_graph<T, I>()) == "");
  }
}
