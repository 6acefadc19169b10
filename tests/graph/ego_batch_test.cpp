// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/ego_batch.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "support/slow_graph.hpp"

namespace gp = graphpatcher;

TEMPLATE_TEST_CASE("an ego batch holds exactly the nodes and edges within k hops", "[graph]", std::int32_t,
                   std::int64_t) {
  using I = TestType;
  const bool directed = GENERATE(false, true);
  const bool multi = GENERATE(false, true);
  const std::size_t hops = GENERATE(1, 2, 3);
  const auto graph = slow::random_graph<I>(60, 90, 5, directed, multi);
  const auto adjacency = slow::adjacency_of(graph);
  std::vector<I> anchors(graph.nodes());
  std::iota(anchors.rbegin(), anchors.rend(), I(0));  // descending: order of the caller is kept
  const auto batch = gp::make_ego_batch(gp::cpu{2}, graph, anchors, {.hops = hops});

  REQUIRE(batch.size() == anchors.size());
  for (std::size_t b = 0; b < batch.size(); ++b) {
    const auto expected = slow::distances(adjacency, anchors[b], hops);
    REQUIRE(batch.end(b) - batch.begin(b) == expected.size());
    REQUIRE(batch.nodes[batch.begin(b)] == anchors[b]);
    for (std::size_t hop = 0; hop <= hops; ++hop) {
      for (std::size_t n = batch.hop_begin(b, hop); n < batch.hop_begin(b, hop + 1); ++n) {
        REQUIRE(expected.at(batch.nodes[n]) == hop);
        REQUIRE((n == batch.hop_begin(b, hop) || batch.nodes[n - 1] < batch.nodes[n]));
        std::vector<std::int64_t> row;
        for (const I source : batch.sources(n)) {
          row.push_back(batch.nodes[batch.begin(b) + static_cast<std::size_t>(source)]);
        }
        std::vector<std::int64_t> expected_row;
        for (const auto source : adjacency.at(batch.nodes[n])) {
          if (expected.count(source) != 0) {
            expected_row.push_back(source);
          }
        }
        REQUIRE(row == expected_row);
        REQUIRE(static_cast<std::size_t>(batch.in_degree[n]) == adjacency.at(batch.nodes[n]).size());
      }
    }
  }
}

TEST_CASE("ego batches don't depend on the number of threads", "[graph]") {
  const auto graph = slow::random_graph<std::int32_t>(300, 900, 3);
  std::vector<std::int32_t> anchors(300);
  std::iota(anchors.begin(), anchors.end(), 0);
  const auto one = gp::make_ego_batch(gp::cpu{1}, graph, anchors);
  const auto four = gp::make_ego_batch(gp::cpu{4}, graph, anchors);
  CHECK(one.nodes == four.nodes);
  CHECK(one.hop_offsets == four.hop_offsets);
  CHECK(one.edge_offsets == four.edge_offsets);
  CHECK(one.edge_sources == four.edge_sources);
}

TEST_CASE("an isolated anchor is its own ego-graph", "[graph]") {
  const gp::csr_graph<std::int32_t> graph({0, 1, 2, 2}, {1, 0});
  const auto batch = gp::make_ego_batch({}, graph, std::vector<std::int32_t>{2});
  CHECK(batch.nodes == std::vector<std::int32_t>{2});
  CHECK(batch.neighbors(0).empty());
  CHECK(batch.edge_sources.empty());
}

TEST_CASE("bad anchors and hops are refused with their names", "[graph]") {
  const gp::csr_graph<std::int32_t> graph({0, 1, 2, 2}, {1, 0});
  const auto make = [&](std::vector<std::int32_t> anchors, std::size_t hops = 2) {
    return gp::make_ego_batch({}, graph, anchors, {.hops = hops});
  };
  CHECK_THROWS_AS(make({0, 3}), gp::index_error);
  CHECK_THROWS_WITH(make({0, 3}), Catch::Contains("node 3 at position 1") && Catch::Contains("[0, 3)"));
  CHECK_THROWS_AS(make({-1}), gp::index_error);
  CHECK_THROWS_AS(make({1, 0, 1}), gp::argument_error);
  CHECK_THROWS_WITH(make({1, 0, 1}), Catch::Contains("positions 0 and 2"));
  CHECK_THROWS_AS(make({0, 1, 2, 0}), gp::argument_error);
  CHECK_THROWS_WITH(make({0, 1, 2, 0}), Catch::Contains("at most 3"));
  CHECK_THROWS_AS(make({}), gp::argument_error);
  CHECK_THROWS_AS(make({0}, 0), gp::argument_error);
  CHECK_THROWS_AS(gp::make_ego_batch(gp::cpu{0}, graph, std::vector<std::int32_t>{0}), gp::argument_error);
}
