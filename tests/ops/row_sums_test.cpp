// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/ops/segment_reduce.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "support/compare.hpp"
#include "support/random_messages.hpp"
#include "support/threads.hpp"

// Kernels that keep a block of columns in registers, at widths around the blocks, and pieces of uneven graphs.

namespace gp = graphpatcher;
using namespace random_input;
using support::same_values;

namespace {

const gp::cpu one{.threads = 1};
const std::size_t widths[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 200, 1000};

template <class T>
std::span<const T> span_of(const std::vector<T>& v) {
  return v;
}

/// Integers, so that every sum is exact and the order of additions can't hide a column that is left out or added twice.
template <class T>
gp::matrix<T> integers(std::size_t rows, std::size_t cols, unsigned seed) {
  auto result = values<T>(rows, cols, seed);
  for (T& value : result.values()) {
    value = std::round(value * 8);
  }
  return result;
}

/// A hub with most of the edges in the middle, empty rows on both sides of it and at the ends.
template <class I>
gp::message_graph<I> with_hub(std::size_t nodes, std::size_t hub_edges) {
  gp::message_graph<I> graph;
  graph.offsets = {0};
  graph.global_ids.resize(nodes);
  graph.within = {static_cast<I>(nodes)};
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t count = i == nodes / 2 ? hub_edges : i % 3 == 0 || i + 1 == nodes ? 0 : i % 5;
    for (std::size_t e = 0; e < count; ++e) {
      graph.sources.push_back(static_cast<I>((7 * e + 3 * i) % nodes));
    }
    graph.offsets.push_back(static_cast<I>(graph.sources.size()));
  }
  return graph;
}

}  // namespace

TEMPLATE_TEST_CASE("row sums: products of every width are exact on integers", "[row_sums]", float, double) {
  const auto graph = messages<std::int32_t>(40, 1);
  const auto block = graph.towards(1);
  const auto rows = edge_rows(block);
  const auto left = integers<TestType>(1, block.rows(), 2);
  const auto right = integers<TestType>(1, block.source_rows(), 3);
  for (const std::size_t width : widths) {
    CAPTURE(width);
    const auto x = integers<TestType>(block.source_rows(), width, 4);
    const auto gradient = integers<TestType>(block.rows(), width, 5);
    const auto start = integers<TestType>(block.source_rows(), width, 6);
    gp::matrix<TestType> plain(block.rows(), width);
    gp::matrix<TestType> scaled(block.rows(), width);
    auto adjoint = start;
    auto scaled_adjoint = start;
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const auto j = static_cast<std::size_t>(block.sources()[e]);
      for (std::size_t c = 0; c < width; ++c) {
        const TestType entry = left(0, rows[e]) * right(0, j);
        plain(rows[e], c) += x(j, c);
        scaled(rows[e], c) += entry * x(j, c);
        adjoint(j, c) += gradient(rows[e], c);
        scaled_adjoint(j, c) += entry * gradient(rows[e], c);
      }
    }
    const gp::spmm_scales<TestType> scales{.left = left.values(), .right = right.values()};
    gp::matrix<TestType> out(block.rows(), width);
    out.fill(99);
    gp::spmm(one, block, {}, x, out.view());
    CHECK(same_values(out, plain));
    gp::spmm(one, block, scales, x, out.view());
    CHECK(same_values(out, scaled));
    auto x_gradient = start;
    gp::spmm_adjoint(one, block, {}, gradient, x_gradient.view());
    CHECK(same_values(x_gradient, adjoint));
    x_gradient = start;
    gp::spmm_adjoint(one, block, scales, gradient, x_gradient.view());
    CHECK(same_values(x_gradient, scaled_adjoint));
  }
}

TEST_CASE("row sums: a sum is the same bits as one addition after the other", "[row_sums]") {
  const auto graph = with_hub<std::int32_t>(50, 400);
  for (const std::size_t width : widths) {
    CAPTURE(width);
    const auto x = values<double>(50, width, 1);
    gp::matrix<double> expected(50, width);
    for (std::size_t i = 0; i < 50; ++i) {
      for (auto e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
        for (std::size_t c = 0; c < width; ++c) {
          expected(i, c) += x(static_cast<std::size_t>(graph.sources[static_cast<std::size_t>(e)]), c);
        }
      }
    }
    gp::matrix<double> out(50, width);
    out.fill(99);
    gp::spmm(one, graph.all(), {}, x, out.view());
    CHECK(same_values(out, expected));
  }
}

TEST_CASE("row sums: hubs shared by columns leave the bits as they are", "[row_sums]") {
  for (const std::size_t hub_edges : {0u, 500u, 20000u}) {
    const auto graph = with_hub<std::int64_t>(300, hub_edges);
    const auto block = graph.all();
    for (const std::size_t width : {1u, 16u, 33u, 64u, 200u}) {
      CAPTURE(hub_edges, width);
      const auto x = values<float>(300, width, 1);
      const auto run = [&](const gp::cpu& exec) {
        std::vector<gp::matrix<float>> results;
        results.emplace_back(300, width).fill(99);
        gp::spmm(exec, block, {}, x, results.back().view());
        results.emplace_back(300, width);
        gp::spmm_adjoint(exec, block, {}, x, results.back().view());
        results.emplace_back(300, width).fill(99);
        std::vector<std::int64_t> winners(300 * width, 77);
        gp::segment_max(exec, block, x, std::span<std::int64_t>(winners), results.back().view());
        results.emplace_back(300, width);
        for (std::size_t i = 0; i < winners.size(); ++i) {
          results.back().values()[i] = static_cast<float>(winners[i]);  // below 2^24: exact
        }
        return results;
      };
      support::same_for_any_threads(run, {2, 3, 16});
    }
  }
}

TEST_CASE("row sums: heads that are narrower than a vector", "[row_sums]") {
  const auto graph = messages<std::int32_t>(30, 3);
  const auto block = graph.all();
  const auto rows = edge_rows(block);
  for (const std::size_t heads : {2u, 5u}) {
    for (const std::size_t width : {1u, 3u, 6u, 9u}) {
      const auto x = integers<float>(30, heads * width, 1);
      const auto weights = integers<float>(block.edges(), heads, 2);
      gp::matrix<float> expected(30, heads * width);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        for (std::size_t c = 0; c < x.cols(); ++c) {
          expected(rows[e], c) += weights(e, c / width) * x(static_cast<std::size_t>(block.sources()[e]), c);
        }
      }
      for (const int threads : {1, 3}) {
        gp::matrix<float> out(30, heads * width);
        gp::spmm(gp::cpu{threads}, block, {.weights = weights}, x, out.view());
        CHECK(same_values(out, expected));
      }
    }
  }
}

TEMPLATE_TEST_CASE("row sums: segments and largest sources of every width", "[row_sums]", float, double) {
  const auto graph = with_hub<std::int64_t>(30, 70);
  const auto edges = graph.sources.size();
  for (const std::size_t width : widths) {
    CAPTURE(width);
    const auto x = integers<TestType>(edges, width, 1);  // few values: many ties
    gp::matrix<TestType> sums(30, width);
    gp::matrix<TestType> largest(30, width);
    std::vector<std::int64_t> first_place(30 * width, -1);
    for (std::size_t i = 0; i < 30; ++i) {
      for (auto e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
        for (std::size_t c = 0; c < width; ++c) {
          const TestType value = x(static_cast<std::size_t>(e), c);
          sums(i, c) += value;
          if (e == graph.offsets[i] || value > largest(i, c)) {
            largest(i, c) = value;
            first_place[i * width + c] = e;
          }
        }
      }
    }
    gp::matrix<TestType> out(30, width);
    gp::segment_reduce(one, span_of(graph.offsets), x, gp::reduction::sum, out.view());
    CHECK(same_values(out, sums));
    std::vector<std::int64_t> winners(30 * width, 77);
    gp::segment_max(one, span_of(graph.offsets), x, std::span<std::int64_t>(winners), out.view());
    CHECK(same_values(out, largest));
    CHECK(winners == first_place);
  }
}

TEST_CASE("row sums: sparse features times weights of every width, and the adjoint", "[row_sums]") {
  auto dense = integers<float>(20, 90, 1);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    dense.values()[i] *= i % 7 == 0 ? 1.0f : 0.0f;
  }
  const gp::feature_table table = gp::sparse_from_dense<std::int32_t>(dense.view());
  const std::vector<std::int32_t> ids{3, -1, 19, 3, 0, 7};
  const gp::feature_rows<float, std::int32_t> rows{&table, ids};
  for (const std::size_t width : widths) {
    CAPTURE(width);
    const auto w = integers<float>(90, width, 2);
    const auto g = integers<float>(ids.size(), width, 3);
    const auto start = integers<float>(90, width, 4);
    gp::matrix<float> expected(ids.size(), width);
    auto expected_gradient = start;
    for (std::size_t r = 0; r < ids.size(); ++r) {
      for (std::size_t k = 0; ids[r] >= 0 && k < 90; ++k) {
        for (std::size_t c = 0; c < width; ++c) {
          expected(r, c) += dense(static_cast<std::size_t>(ids[r]), k) * w(k, c);
          expected_gradient(k, c) += dense(static_cast<std::size_t>(ids[r]), k) * g(r, c);
        }
      }
    }
    for (const int threads : {1, 3}) {
      gp::matrix<float> out(ids.size(), width);
      out.fill(99);
      auto gradient = start;
      gp::sparse_gemm(gp::cpu{threads}, rows, w, out.view());
      gp::sparse_gemm_adjoint(gp::cpu{threads}, rows, g, gradient.view());
      CHECK(same_values(out, expected));
      CHECK(same_values(gradient, expected_gradient));
    }
  }
}

TEMPLATE_TEST_CASE("exponential: within 2 ulp of std::exp for x <= 0", "[row_sums]", float, double) {
  const auto exponential = [](TestType x) { return gp::backend::exponential(x); };
  const TestType lowest = std::log(std::numeric_limits<TestType>::min());
  double worst = 0;
  for (int i = 0; i < 100000; ++i) {
    const TestType x = lowest * static_cast<TestType>(i) / 100001;
    const auto exact = std::exp(static_cast<long double>(x));
    worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(exponential(x)) - exact) / exact));
  }
  CHECK(worst < 2 * static_cast<double>(std::numeric_limits<TestType>::epsilon()));
  CHECK(exponential(TestType(0)) == 1);
  CHECK(exponential(2 * lowest) == 0);
  CHECK(exponential(-std::numeric_limits<TestType>::infinity()) == 0);
  CHECK(std::isnan(exponential(std::numeric_limits<TestType>::quiet_NaN())));
}
