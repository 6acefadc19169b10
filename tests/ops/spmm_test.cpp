// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "graphpatcher/ops/spmm.hpp"
#include "support/compare.hpp"
#include "support/random_messages.hpp"
#include "support/threads.hpp"

namespace gp = graphpatcher;
using namespace random_input;
using Catch::Matchers::Contains;
using support::largest_difference;
using support::same_values;

namespace {

const gp::cpu one{.threads = 1};

template <class T>
std::span<const T> span_of(const std::vector<T>& v) {
  return v;
}

/// Every option there is, on a block; widths that leave a tail of a vector.
template <class T, class I>
struct setting {
  gp::message_block<I> block;
  std::size_t heads;
  gp::matrix<T> left, right, weights, x;
  gp::spmm_scales<T> scales;

  setting(const gp::message_block<I>& b, std::size_t width, std::size_t h, unsigned seed)
      : block(b),
        heads(h),
        left(values<T>(1, b.rows(), seed)),
        right(values<T>(1, b.source_rows(), seed + 1)),
        weights(values<T>(b.edges(), h, seed + 2)),
        x(values<T>(b.source_rows(), width * h, seed + 3)),
        scales{left.values(), right.values(), weights} {}
  setting(const setting&) = delete;

  /// Entry (i, j) of head h of the dense matrix that the edges stand for.
  gp::matrix<double> dense(std::size_t h) const {
    gp::matrix<double> a(block.rows(), block.source_rows());
    const auto rows = edge_rows(block);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const auto j = static_cast<std::size_t>(block.sources()[e]);
      a(rows[e], j) +=
          static_cast<double>(left(0, rows[e])) * static_cast<double>(right(0, j)) * static_cast<double>(weights(e, h));
    }
    return a;
  }
};

}  // namespace

TEST_CASE("spmm: a hand-computed product") {
  const std::vector<int> offsets{0, 2, 2, 3};
  const std::vector<int> sources{0, 2, 1};
  const gp::matrix<double> x{{1, 2}, {3, 4}, {5, 6}};
  gp::matrix<double> out(3, 2);
  out.fill(99);
  gp::spmm(one, span_of(offsets), span_of(sources), {}, x, out.view());
  CHECK(same_values(out, {{6, 8}, {0, 0}, {3, 4}}));

  const std::vector<double> left{0.5, 7, 2};
  const std::vector<double> right{1, 10, 3};
  gp::spmm(one, span_of(offsets), span_of(sources), {.left = left, .right = right}, x, out.view());
  CHECK(same_values(out, {{8, 10}, {0, 0}, {60, 80}}));

  SECTION("a gather reads rows of a table in place") {
    const std::vector<int> gather{2, 0, 2};
    gp::spmm(one, span_of(offsets), span_of(sources), {.right = right}, gather, x, out.view());
    CHECK(same_values(out, {{5 + 15, 6 + 18}, {0, 0}, {10, 20}}));
  }
  SECTION("two heads weigh halves of the columns") {
    const gp::matrix<double> weights{{1, 0}, {2, 1}, {0, -1}};
    gp::spmm(one, span_of(offsets), span_of(sources), {.weights = weights}, x, out.view());
    CHECK(same_values(out, {{11, 6}, {0, 0}, {0, -4}}));
  }
}

TEMPLATE_TEST_CASE("spmm and its adjoints: the same as a dense matrix", "", float, double) {
  const auto graph = messages<std::int32_t>(60, 1);
  const double tolerance = std::is_same_v<TestType, float> ? 1e-4 : 1e-12;
  for (const auto& block : blocks(graph)) {
    for (const std::size_t heads : {1u, 3u}) {
      const setting<TestType, std::int32_t> s(block, 11, heads, 5);
      gp::matrix<TestType> out(block.rows(), s.x.cols());
      gp::spmm(one, block.offsets(), block.sources(), s.scales, s.x, out.view());
      const auto gradient = values<TestType>(block.rows(), s.x.cols(), 9);
      const auto start = values<TestType>(block.source_rows() + 2, s.x.cols(), 10);  // rows beyond stay
      auto x_gradient = start;
      gp::spmm_adjoint(one, block, s.scales, gradient, x_gradient.view());

      gp::matrix<TestType> expected(block.rows(), s.x.cols());
      auto expected_gradient = start;
      for (std::size_t c = 0; c < s.x.cols(); ++c) {
        const auto a = s.dense(c / 11);
        for (std::size_t i = 0; i < block.rows(); ++i) {
          for (std::size_t j = 0; j < block.source_rows(); ++j) {
            expected(i, c) += static_cast<TestType>(a(i, j)) * s.x(j, c);
            expected_gradient(j, c) += static_cast<TestType>(a(i, j)) * gradient(i, c);
          }
        }
      }
      CHECK(largest_difference(out, expected) < tolerance);
      CHECK(largest_difference(x_gradient, expected_gradient) < tolerance);

      const auto weights_start = values<TestType>(block.edges(), heads, 11);
      auto weights_gradient = weights_start;
      gp::spmm_weights_adjoint(one, block, s.scales, gradient, s.x, weights_gradient.view());
      auto expected_weights = weights_start;
      const auto rows = edge_rows(block);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        const auto j = static_cast<std::size_t>(block.sources()[e]);
        for (std::size_t c = 0; c < s.x.cols(); ++c) {
          expected_weights(e, c / 11) += s.left(0, rows[e]) * s.right(0, j) * gradient(rows[e], c) * s.x(j, c);
        }
      }
      CHECK(largest_difference(weights_gradient, expected_weights) < tolerance);
    }
  }
}

TEST_CASE("spmm: the same bits for any number of threads") {
  const auto graph = messages<std::int64_t>(3000, 2);
  for (const auto& block : blocks(graph)) {
    const setting<float, std::int64_t> s(block, 9, 2, 3);
    const auto gradient = values<float>(block.rows(), s.x.cols(), 9);
    const auto run = [&](const gp::cpu& exec) {
      std::vector<gp::matrix<float>> results;
      results.emplace_back(block.rows(), s.x.cols());
      gp::spmm(exec, block.offsets(), block.sources(), s.scales, s.x, results.back().view());
      results.emplace_back(block.source_rows(), s.x.cols());
      gp::spmm_adjoint(exec, block, s.scales, gradient, results.back().view());
      results.emplace_back(block.edges(), s.heads);
      gp::spmm_weights_adjoint(exec, block, s.scales, gradient, s.x, results.back().view());
      return results;
    };
    support::same_for_any_threads(run);
  }
}

TEST_CASE("spmm: a row does not depend on the others") {
  const auto graph = messages<std::int32_t>(200, 3);
  const auto block = graph.all();
  const auto x = values<float>(200, 37, 4);
  gp::matrix<float> all(200, 37);
  gp::spmm(one, block.offsets(), block.sources(), {}, x, all.view());
  for (const std::size_t i : {0u, 1u, 57u, 199u}) {
    const auto begin = static_cast<std::size_t>(block.offsets()[i]);
    const auto count = static_cast<std::size_t>(block.offsets()[i + 1]) - begin;
    const std::vector<std::int32_t> offsets{0, static_cast<std::int32_t>(count)};
    gp::matrix<float> row(1, 37);
    gp::spmm(one, span_of(offsets), block.sources().subspan(begin, count), {}, x, row.view());
    CHECK(std::equal(row.row(0).begin(), row.row(0).end(), all.row(i).begin()));
  }
}

TEST_CASE("normalisation: scales come from clamped degrees") {
  auto graph = messages<std::int32_t>(20, 4);
  graph.in_degree[2] = 4;
  graph.in_degree[3] = 0;
  graph.out_degree[5] = 16;
  graph.out_degree[6] = 0;
  gp::arena memory;
  const auto block = graph.towards(0);
  const auto sum = gp::normalisation_scales<double>(block, gp::normalisation::sum, memory);
  CHECK(sum.left.empty());
  CHECK(sum.right.empty());
  const auto mean = gp::normalisation_scales<double>(block, gp::normalisation::mean, memory);
  REQUIRE(mean.left.size() == block.rows());
  CHECK(mean.left[2] == 0.25);
  CHECK(mean.left[3] == 1.0);
  CHECK(mean.right.empty());
  const auto symmetric = gp::normalisation_scales<double>(block, gp::normalisation::symmetric, memory);
  REQUIRE(symmetric.right.size() == block.source_rows());
  CHECK(symmetric.left[2] == 0.5);
  CHECK(symmetric.left[3] == 1.0);
  CHECK(symmetric.right[5] == 0.25);
  CHECK(symmetric.right[6] == 1.0);
  graph.in_degree.resize(1);
  CHECK_THROWS_AS(gp::normalisation_scales<double>(block, gp::normalisation::mean, memory), gp::shape_error);
}

TEST_CASE("spmm: what does not fit is refused") {
  const std::vector<int> offsets{0, 2, 3};
  const std::vector<int> sources{0, 2, 1};
  const gp::matrix<double> x(3, 4);
  gp::matrix<double> out(2, 4);
  const auto run = [&](const std::vector<int>& o, const std::vector<int>& s, const gp::spmm_scales<double>& scales,
                       const gp::matrix<double>& in, const std::vector<int>& gather = {}) {
    gp::spmm(one, span_of(o), span_of(s), scales, gather, in, out.view());
  };
  CHECK_NOTHROW(run(offsets, sources, {}, x));
  CHECK_THROWS_AS(run({0, 3}, sources, {}, x), gp::shape_error);
  CHECK_THROWS_AS(run({}, sources, {}, x), gp::shape_error);
  CHECK_THROWS_AS(run({0, 4, 3}, sources, {}, x), gp::shape_error);
  CHECK_THROWS_AS(run({0, 2, 4}, sources, {}, x), gp::shape_error);
  CHECK_THROWS_AS(run({1, 2, 3}, sources, {}, x), gp::shape_error);
  CHECK_THROWS_AS(run(offsets, sources, {}, gp::matrix<double>(3, 5)), gp::shape_error);
  CHECK_THROWS_AS(run(offsets, {0, 3, 1}, {}, x), gp::index_error);
  CHECK_THROWS_WITH(run(offsets, {0, -1, 1}, {}, x), Contains("[0, 3), got -1 at position 1"));
  CHECK_THROWS_AS(run(offsets, sources, {}, x, {0, 1}), gp::index_error);
  CHECK_THROWS_AS(run(offsets, sources, {}, x, {0, 1, 3}), gp::index_error);
  const std::vector<double> single{1};
  CHECK_THROWS_AS(run(offsets, sources, {.left = single}, x), gp::shape_error);
  CHECK_THROWS_AS(run(offsets, sources, {.right = single}, x), gp::shape_error);
  const gp::matrix<double> two_edges(2, 1);
  const gp::matrix<double> three_heads(3, 3);
  CHECK_THROWS_AS(run(offsets, sources, {.weights = two_edges}, x), gp::shape_error);
  CHECK_THROWS_WITH(run(offsets, sources, {.weights = three_heads}, x), Contains("3 equal heads"));
  CHECK_THROWS_AS(gp::spmm(gp::cpu{.threads = 0}, span_of(offsets), span_of(sources), {}, x, out.view()),
                  gp::argument_error);
}

TEST_CASE("spmm adjoints: what does not fit is refused") {
  const auto graph = messages<std::int32_t>(20, 5);
  const auto block = graph.towards(0);
  gp::matrix<double> x(block.source_rows(), 4);
  gp::matrix<double> short_x(block.source_rows() - 1, 4);
  const gp::matrix<double> gradient(block.rows(), 4);
  const gp::matrix<double> wrong(block.rows(), 3);
  gp::matrix<double> weights(block.edges(), 1);
  gp::matrix<double> short_weights(block.edges() - 1, 1);
  CHECK_THROWS_AS(gp::spmm_adjoint(one, block, {}, wrong, x.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::spmm_adjoint(one, block, {}, gradient, short_x.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::spmm_weights_adjoint(one, block, {}, gradient, x, short_weights.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::spmm_weights_adjoint(one, block, {}, gradient, short_x, weights.view()), gp::shape_error);

  const gp::message_graph<std::int32_t> empty;
  CHECK_THROWS_AS(gp::spmm_adjoint(one, empty.all(), {}, gp::matrix<double>(0, 4), x.view()), gp::shape_error);
  const gp::message_block<std::int32_t> too_long(graph, 21, 21);
  CHECK_THROWS_AS(gp::spmm_adjoint(one, too_long, {}, gp::matrix<double>(21, 4), x.view()), gp::shape_error);
  const gp::message_block<std::int32_t> too_narrow(graph, 4, 5);  // rows have sources beyond row 5
  CHECK_THROWS_AS(gp::spmm_adjoint(one, too_narrow, {}, gradient, x.view()), gp::index_error);
}

TEST_CASE("message_graph: reverse_edges names the edge behind each reverse entry") {
  const auto graph = messages<std::int32_t>(50, 6);
  const auto rows = edge_rows(graph.all());
  const auto& reverse = graph.reverse();
  const auto edges = graph.reverse_edges();
  REQUIRE(edges.size() == graph.sources.size());
  for (std::size_t j = 0; j < graph.nodes(); ++j) {
    const auto begin = static_cast<std::size_t>(reverse.offsets()[j]);
    const auto end = static_cast<std::size_t>(reverse.offsets()[j + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      const auto e = static_cast<std::size_t>(edges[k]);
      CHECK(static_cast<std::size_t>(graph.sources[e]) == j);
      CHECK(rows[e] == static_cast<std::size_t>(reverse.neighbors()[k]));
      CHECK((k == begin || edges[k] > edges[k - 1]));
    }
  }
}
