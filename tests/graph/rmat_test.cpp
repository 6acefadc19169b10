// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "graphpatcher/graph/degrees.hpp"
#include "graphpatcher/graph/rmat.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

TEST_CASE("R-MAT gives the same graph for any number of threads", "[rmat]") {
  const rmat_options options{.scale = 12, .edges = 50000, .seed = 3};
  const auto alone = rmat_edges<std::int32_t>(cpu{.threads = 1}, options);
  CHECK(alone.size() == 50000);
  CHECK(rmat_edges<std::int32_t>(cpu{.threads = 2}, options) == alone);
  CHECK(rmat_edges<std::int32_t>(cpu{.threads = 7}, options) == alone);
  auto other = options;
  other.seed = 4;
  CHECK(rmat_edges<std::int32_t>(cpu{.threads = 1}, other) != alone);
}

TEST_CASE("R-MAT gives the same graph for both index types", "[rmat]") {
  const rmat_options options{.scale = 10, .edges = 4000};
  const auto narrow = make_rmat<std::int32_t>(cpu{}, options);
  const auto wide = make_rmat<std::int64_t>(cpu{}, options);
  CHECK(std::ranges::equal(narrow.offsets(), wide.offsets()));
  CHECK(std::ranges::equal(narrow.neighbors(), wide.neighbors()));
}

TEST_CASE("an R-MAT graph is undirected, simple and of the size asked for", "[rmat]") {
  const auto graph = make_rmat<std::int32_t>(cpu{}, {.scale = 11, .edges = 16384});
  CHECK(graph.nodes() == 2048);
  CHECK(graph.entries() > 16384);  // most edges are new, and each stands twice
  CHECK(graph.entries() <= 2 * 16384);
  CHECK(is_symmetric(graph));
  std::size_t loops_or_repetitions = 0;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    const auto row = graph.neighbors(v);
    for (std::size_t i = 0; i < row.size(); ++i) {
      loops_or_repetitions += static_cast<std::size_t>(row[i]) == v || (i > 0 && row[i] == row[i - 1]);
    }
  }
  CHECK(loops_or_repetitions == 0);
}

TEST_CASE("the quadrants of R-MAT come with their probabilities", "[rmat]") {
  // One level: the four quadrants are the four edges of a graph of two nodes.
  const std::size_t count = 100000;
  const auto edges = rmat_edges<std::int32_t>(cpu{}, {.scale = 1, .edges = count});
  const double expected[2][2] = {{0.57, 0.19}, {0.19, 0.05}};
  for (int source = 0; source < 2; ++source) {
    for (int target = 0; target < 2; ++target) {
      const double p = expected[source][target];
      const auto hits = static_cast<double>(std::ranges::count(edges, edge<std::int32_t>{source, target}));
      const double deviation = std::sqrt(p * (1 - p) * static_cast<double>(count));
      CHECK(std::abs(hits - p * static_cast<double>(count)) < 5 * deviation);
    }
  }
}

TEST_CASE("R-MAT degrees are skewed, and even with even quadrants", "[rmat]") {
  const auto largest_over_mean = [](const csr_graph<std::int32_t>& graph) {
    const auto degrees = in_degrees(graph);
    return static_cast<double>(*std::ranges::max_element(degrees)) * static_cast<double>(graph.nodes()) /
           static_cast<double>(graph.entries());
  };
  const rmat_options skewed{.scale = 12, .edges = 32768};
  rmat_options even = skewed;
  even.a = even.b = even.c = even.d = 0.25;
  CHECK(largest_over_mean(make_rmat<std::int32_t>(cpu{}, skewed)) > 15);
  CHECK(largest_over_mean(make_rmat<std::int32_t>(cpu{}, even)) < 3);
}

TEST_CASE("R-MAT refuses options that make no graph", "[rmat]") {
  const cpu exec;
  CHECK_THROWS_AS(make_rmat<std::int32_t>(exec, {.scale = -1}), argument_error);
  CHECK_THROWS_AS(make_rmat<std::int32_t>(exec, {.scale = 31}), overflow_error);
  CHECK_THROWS_WITH(make_rmat<std::int32_t>(exec, {.scale = 31}), Contains("at most 30"));
  CHECK_THROWS_AS(make_rmat<std::int64_t>(exec, {.scale = 63}), overflow_error);
  CHECK_THROWS_AS(make_rmat<std::int32_t>(exec, {.scale = 4, .a = 0.6}), argument_error);
  CHECK_THROWS_WITH(make_rmat<std::int32_t>(exec, {.scale = 4, .a = 0.6}), Contains("a + b + c + d = 1"));
  CHECK_THROWS_AS(make_rmat<std::int32_t>(exec, {.scale = 4, .a = -0.1, .b = 0.86}), argument_error);
  CHECK_THROWS_AS(make_rmat<std::int32_t>(exec, {.scale = 4, .a = std::nan("")}), argument_error);
  CHECK_THROWS_AS(make_rmat<std::int32_t>(cpu{.threads = 0}, {.scale = 4}), argument_error);
  CHECK(make_rmat<std::int32_t>(exec, {.scale = 0, .edges = 5}).entries() == 0);
}
