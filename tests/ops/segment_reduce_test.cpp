// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "graphpatcher/ops/segment_reduce.hpp"
#include "support/compare.hpp"
#include "support/random_messages.hpp"
#include "support/threads.hpp"

namespace gp = graphpatcher;
using namespace random_input;
using support::largest_difference;
using support::same_values;

namespace {

const gp::cpu one{.threads = 1};
const gp::cpu many{.threads = 7};

template <class T>
std::span<const T> span_of(const std::vector<T>& v) {
  return v;
}

}  // namespace

TEST_CASE("segment_reduce: hand-computed sums and means, empty segments give 0") {
  const std::vector<int> offsets{0, 2, 2, 5};
  const gp::matrix<double> x{{1, 2}, {3, 6}, {1, 1}, {2, 0}, {6, -4}};
  gp::matrix<double> out(3, 2);
  gp::segment_reduce(one, span_of(offsets), x, gp::reduction::sum, out.view());
  CHECK(same_values(out, {{4, 8}, {0, 0}, {9, -3}}));
  gp::segment_reduce(one, span_of(offsets), x, gp::reduction::mean, out.view());
  CHECK(largest_difference(out, {{2, 4}, {0, 0}, {3, -1}}) < 1e-15);

  const gp::matrix<double> gradient{{1, 2}, {100, 100}, {3, 6}};
  gp::matrix<double> x_gradient(5, 2);
  x_gradient.fill(10);
  gp::segment_reduce_adjoint(one, span_of(offsets), gp::reduction::sum, gradient, x_gradient.view());
  CHECK(same_values(x_gradient, {{11, 12}, {11, 12}, {13, 16}, {13, 16}, {13, 16}}));
  x_gradient.fill(10);
  gp::segment_reduce_adjoint(one, span_of(offsets), gp::reduction::mean, gradient, x_gradient.view());
  CHECK(largest_difference(x_gradient, {{10.5, 11}, {10.5, 11}, {11, 12}, {11, 12}, {11, 12}}) < 1e-14);
}

namespace {

/// Edges given by hand as a block over all nodes; `graph` keeps them.
gp::message_block<int> block_of(const std::vector<int>& offsets, const std::vector<int>& sources,
                                gp::message_graph<int>& graph) {
  graph.offsets = offsets;
  graph.sources = sources;
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
    graph.global_ids.push_back(static_cast<int>(v));
  }
  return graph.all();
}

}  // namespace

TEST_CASE("segment_max: winners, ties to the lowest position, empty rows") {
  const std::vector<int> offsets{0, 3, 3, 5};
  const std::vector<int> sources{2, 0, 2, 1, 0};
  const gp::matrix<double> x{{-1, 5}, {-2, 5}, {-1, 7}};
  gp::matrix<double> out(3, 2);
  out.fill(99);
  std::vector<int> winners(6, 77);
  gp::segment_max(one, span_of(offsets), sources, x, std::span<int>(winners), out.view());
  CHECK(same_values(out, {{-1, 7}, {0, 0}, {-1, 5}}));
  CHECK(winners == std::vector<int>{0, 0, -1, -1, 4, 3});

  gp::matrix<double> x_gradient(3, 2);
  gp::message_graph<int> graph;
  gp::segment_max_adjoint(one, block_of(offsets, sources, graph), winners, gp::matrix<double>{{1, 2}, {4, 8}, {16, 32}},
                          x_gradient.view());
  CHECK(same_values(x_gradient, {{16, 0}, {0, 32}, {1, 2}}));

  SECTION("over rows that stand together") {
    const std::vector<int> cuts{0, 2, 3};
    gp::matrix<double> rows_out(2, 2);
    std::vector<int> rows_winners(4);
    gp::segment_max(one, span_of(cuts), x, std::span<int>(rows_winners), rows_out.view());
    CHECK(same_values(rows_out, {{-1, 5}, {-1, 7}}));
    CHECK(rows_winners == std::vector<int>{0, 0, 2, 2});
    gp::matrix<double> rows_gradient(3, 2);
    gp::segment_max_adjoint(one, span_of(rows_winners), gp::matrix<double>{{1, 2}, {3, 4}}, rows_gradient.view());
    CHECK(same_values(rows_gradient, {{1, 2}, {0, 0}, {3, 4}}));
  }
  SECTION("NaN is seen wherever it stands") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const gp::matrix<double> spoilt{{1, nan}, {nan, 2}, {3, 3}};
    const std::vector<int> whole{0, 3};
    gp::matrix<double> spoilt_out(1, 2);
    std::vector<int> spoilt_winners(2);
    gp::segment_max(one, span_of(whole), spoilt, std::span<int>(spoilt_winners), spoilt_out.view());
    CHECK(std::isnan(spoilt_out(0, 0)));
    CHECK(std::isnan(spoilt_out(0, 1)));
    CHECK(spoilt_winners == std::vector<int>{1, 0});
  }
}

TEMPLATE_TEST_CASE("segment_max: the same as obvious loops", "", std::int32_t, std::int64_t) {
  using I = TestType;
  const auto graph = messages<I>(80, 1);
  for (const auto& block : blocks(graph)) {
    const auto x = values<float>(block.source_rows(), 21, 2);
    gp::matrix<float> out(block.rows(), 21);
    std::vector<I> winners(out.size());
    gp::segment_max(many, block.offsets(), block.sources(), x, std::span<I>(winners), out.view());
    const auto gradient = values<float>(block.rows(), 21, 3);
    gp::matrix<float> x_gradient(block.source_rows(), 21);
    gp::segment_max_adjoint(many, block, winners, gradient, x_gradient.view());

    gp::matrix<float> expected(block.rows(), 21);
    gp::matrix<float> expected_gradient(block.source_rows(), 21);
    for (std::size_t i = 0; i < block.rows(); ++i) {
      for (std::size_t c = 0; c < 21; ++c) {
        const auto source = [&](I e) { return static_cast<std::size_t>(block.sources()[static_cast<std::size_t>(e)]); };
        I best = -1;
        for (I e = block.offsets()[i]; e < block.offsets()[i + 1]; ++e) {
          if (best < 0 || x(source(e), c) > x(source(best), c)) {
            best = e;
          }
        }
        CHECK(winners[i * 21 + c] == best);
        if (best >= 0) {
          const auto j = source(best);
          expected(i, c) = x(j, c);
          expected_gradient(j, c) += gradient(i, c);
        }
      }
    }
    CHECK(same_values(out, expected));
    CHECK(same_values(x_gradient, expected_gradient));
  }
}

TEST_CASE("segment operations: the same bits for any number of threads") {
  const auto graph = messages<std::int32_t>(4000, 4);
  const auto block = graph.all();
  const auto x = values<float>(block.edges(), 70, 5);  // segments: one row an edge
  const auto gradient = values<float>(block.rows(), 70, 6);
  const auto run = [&](const gp::cpu& exec) {
    std::vector<gp::matrix<float>> results;
    for (const auto how : {gp::reduction::sum, gp::reduction::mean}) {
      results.emplace_back(block.rows(), 70);
      gp::segment_reduce(exec, block.offsets(), x, how, results.back().view());
      results.emplace_back(block.edges(), 70);
      gp::segment_reduce_adjoint(exec, block.offsets(), how, gradient, results.back().view());
    }
    std::vector<std::int32_t> winners(gradient.size());
    results.emplace_back(block.rows(), 70);
    gp::segment_max(exec, block.offsets(), block.sources(), x, std::span<std::int32_t>(winners), results.back().view());
    results.emplace_back(block.edges(), 70);
    gp::segment_max_adjoint(exec, block, winners, gradient, results.back().view());
    return results;
  };
  support::same_for_any_threads(run);
}

TEST_CASE("segment operations: what does not fit is refused") {
  const std::vector<int> offsets{0, 2, 3};
  const gp::matrix<double> x(3, 2);
  gp::matrix<double> out(2, 2);
  gp::matrix<double> wide(2, 3);
  gp::matrix<double> x_gradient(3, 2);
  std::vector<int> winners(4);
  std::vector<int> few(3);
  using gp::reduction;
  CHECK_THROWS_AS(gp::segment_reduce(one, span_of(offsets), x, reduction::max, out.view()), gp::argument_error);
  CHECK_THROWS_AS(gp::segment_reduce(one, span_of(offsets), x, reduction::sum, wide.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::segment_reduce(one, span_of(offsets), gp::matrix<double>(4, 2), reduction::sum, out.view()),
                  gp::shape_error);
  CHECK_THROWS_AS(gp::segment_reduce_adjoint(one, span_of(offsets), reduction::max, out, x_gradient.view()),
                  gp::argument_error);
  CHECK_THROWS_AS(gp::segment_reduce_adjoint(one, span_of(offsets), reduction::sum, wide, x_gradient.view()),
                  gp::shape_error);
  const std::vector<int> sources{0, 1, 2};
  const std::vector<int> bad_sources{0, 1, 3};
  CHECK_THROWS_AS(gp::segment_max(one, span_of(offsets), sources, x, std::span<int>(few), out.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::segment_max(one, span_of(offsets), bad_sources, x, std::span<int>(winners), out.view()),
                  gp::index_error);
  CHECK_THROWS_AS(gp::segment_max(one, span_of(offsets), sources, x, std::span<int>(winners), wide.view()),
                  gp::shape_error);
  const std::vector<int> beyond{0, 0, 0, 3};
  CHECK_THROWS_AS(gp::segment_max_adjoint(one, span_of(beyond), out, x_gradient.view()), gp::index_error);
  CHECK_THROWS_AS(gp::segment_max_adjoint(one, span_of(few), out, x_gradient.view()), gp::shape_error);
}
