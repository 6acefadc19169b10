// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/builder.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

namespace {

template <class I>
std::vector<I> row(const csr_graph<I>& graph, std::size_t node) {
  const auto neighbors = graph.neighbors(node);
  return {neighbors.begin(), neighbors.end()};
}

using ids = std::vector<std::int32_t>;

const std::vector<edge<std::int32_t>> messy{{2, 1}, {0, 1}, {1, 0}, {2, 1}, {3, 3}, {0, 2}};

}  // namespace

TEMPLATE_TEST_CASE("an edge list becomes an undirected simple graph", "[builder]", std::int32_t, std::int64_t) {
  const std::vector<edge<TestType>> edges{{2, 1}, {0, 1}, {1, 0}, {2, 1}, {3, 3}, {0, 2}};
  const auto graph = build_graph(5, edges);
  CHECK(graph.nodes() == 5);
  CHECK(graph.entries() == 6);
  CHECK(row(graph, 0) == std::vector<TestType>{1, 2});
  CHECK(row(graph, 1) == std::vector<TestType>{0, 2});
  CHECK(row(graph, 2) == std::vector<TestType>{0, 1});
  CHECK(graph.degree(3) == 0);
  CHECK(graph.degree(4) == 0);
}

TEST_CASE("a directed edge stands in the row of its target only", "[builder]") {
  const auto graph = build_graph(4, messy, {.direction = edge_direction::directed});
  CHECK(row(graph, 0) == ids{1});
  CHECK(row(graph, 1) == ids{0, 2});
  CHECK(row(graph, 2) == ids{0});
  CHECK(graph.degree(3) == 0);
}

TEST_CASE("duplicates are merged, kept or rejected", "[builder]") {
  const auto kept = build_graph(4, messy, {.duplicates = duplicate_edges::keep});
  CHECK(row(kept, 0) == ids{1, 1, 2});
  CHECK(row(kept, 1) == ids{0, 0, 2, 2});
  CHECK(row(kept, 2) == ids{0, 1, 1});

  const build_options reject{.duplicates = duplicate_edges::reject};
  CHECK_THROWS_AS(build_graph(4, messy, reject), argument_error);
  CHECK_THROWS_WITH(build_graph(4, messy, reject), Contains("named twice") && Contains("merge"));
  // Both directions of one edge: the same edge in an undirected graph, two edges in a directed one.
  const std::vector<edge<std::int32_t>> both{{0, 1}, {1, 0}};
  CHECK_THROWS_AS(build_graph(2, both, reject), argument_error);
  const auto directed =
      build_graph(2, both, {.direction = edge_direction::directed, .duplicates = duplicate_edges::reject});
  CHECK(directed.entries() == 2);
}

TEST_CASE("self-loops are removed, kept or rejected", "[builder]") {
  CHECK(build_graph(4, messy).degree(3) == 0);
  const auto kept = build_graph(4, messy, {.loops = self_loops::keep});
  CHECK(row(kept, 3) == ids{3});
  CHECK(kept.entries() == 7);
  CHECK_THROWS_AS(build_graph(4, messy, {.loops = self_loops::reject}), argument_error);
  CHECK_THROWS_WITH(build_graph(4, messy, {.loops = self_loops::reject}), Contains("edge 4") && Contains("node 3"));
}

TEST_CASE("the builder agrees with a set of pairs on a random multigraph", "[builder]") {
  const std::size_t nodes = 97;
  const random_stream stream(11, purpose::generator);
  std::vector<edge<std::int32_t>> edges;
  std::set<std::pair<std::int32_t, std::int32_t>> expected;  // (target, source)
  for (std::uint64_t e = 0; e < 2000; ++e) {
    const auto word = stream.bits(e);
    const auto source = static_cast<std::int32_t>(word[0] % nodes);
    const auto target = static_cast<std::int32_t>(word[1] % nodes);
    edges.push_back({source, target});
    if (source != target) {
      expected.insert({source, target});
      expected.insert({target, source});
    }
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> got;
  const auto graph = build_graph(nodes, edges);
  for (std::size_t v = 0; v < nodes; ++v) {
    for (const auto neighbor : graph.neighbors(v)) {
      got.emplace_back(static_cast<std::int32_t>(v), neighbor);
    }
  }
  CHECK(got == std::vector(expected.begin(), expected.end()));
}

TEST_CASE("a graph may have no edges, but not no nodes", "[builder]") {
  const std::vector<edge<std::int32_t>> none;
  const auto graph = build_graph(3, none);
  CHECK(graph.nodes() == 3);
  CHECK(graph.entries() == 0);
  CHECK_THROWS_AS(build_graph(0, none), argument_error);
  CHECK_THROWS_WITH(build_graph(0, none), Contains("at least 1 node"));
}

TEST_CASE("ids out of range name their edge", "[builder]") {
  const std::vector<edge<std::int32_t>> high{{0, 1}, {1, 4}};
  CHECK_THROWS_AS(build_graph(4, high), index_error);
  CHECK_THROWS_WITH(build_graph(4, high), Contains("edge 1 is 1 -> 4") && Contains("[0, 4)"));
  const std::vector<edge<std::int32_t>> negative{{-1, 1}};
  CHECK_THROWS_AS(build_graph(4, negative), index_error);
  CHECK_THROWS_WITH(build_graph(4, negative), Contains("edge 0 is -1 -> 1"));
}

TEST_CASE("counts beyond the index type are an error", "[builder]") {
  constexpr std::uint64_t limit = std::numeric_limits<std::int32_t>::max();
  CHECK_NOTHROW(expects_index_fits<std::int32_t>(limit, "entries"));
  CHECK_THROWS_AS(expects_index_fits<std::int32_t>(limit + 1, "entries"), overflow_error);
  CHECK_THROWS_WITH(expects_index_fits<std::int32_t>(limit + 1, "entries"),
                    Contains("2147483648 entries") && Contains("32 bits") && Contains("std::int64_t"));
  CHECK_NOTHROW(expects_index_fits<std::int64_t>(limit + 1, "entries"));
  CHECK_THROWS_AS(expects_index_fits<std::int64_t>(std::uint64_t{1} << 63, "entries"), overflow_error);

  const std::vector<edge<std::int32_t>> none;
  CHECK_THROWS_AS(build_graph(std::size_t{limit} + 1, none), overflow_error);
}
