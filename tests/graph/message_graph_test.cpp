// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "graphpatcher/graph/message_graph.hpp"

using namespace graphpatcher;

namespace {

using ids = std::vector<std::int32_t>;

// One target, node 7 of a path 7 - 4 - 9: local ids 0, 1, 2 by distance.
message_graph<std::int32_t> path_seen_from_its_end() {
  message_graph<std::int32_t> graph;
  graph.offsets = {0, 2, 5, 7};
  graph.sources = {0, 1, 1, 0, 2, 2, 1};
  graph.in_degree = {2, 3, 2};
  graph.out_degree = {2, 3, 2};
  graph.within = {1, 2, 3};
  graph.global_ids = {7, 4, 9};
  return graph;
}

ids copied(std::span<const std::int32_t> values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("a message graph hands each layer the rows within its hops", "[message_graph]") {
  const auto graph = path_seen_from_its_end();
  CHECK(graph.nodes() == 3);
  CHECK(graph.targets() == 1);
  CHECK(graph.nodes_within(1) == 2);
  CHECK(graph.nodes_within(8) == 3);

  const auto last = graph.towards(0);
  CHECK(last.rows() == 1);
  CHECK(last.source_rows() == 2);
  CHECK(last.edges() == 2);
  CHECK(copied(last.offsets()) == ids{0, 2});
  CHECK(copied(last.sources()) == ids{0, 1});

  const auto first = graph.towards(1);
  CHECK(first.rows() == 2);
  CHECK(first.source_rows() == 3);
  CHECK(first.edges() == 5);

  CHECK(graph.all().rows() == 3);
  CHECK(graph.all().edges() == 7);
  CHECK(&graph.all().graph() == &graph);
}

TEST_CASE("the reverse of a message graph lists receivers ascending", "[message_graph]") {
  const auto graph = path_seen_from_its_end();
  const auto& reverse = graph.reverse();
  CHECK(copied(reverse.neighbors(0)) == ids{0, 1});
  CHECK(copied(reverse.neighbors(1)) == ids{0, 1, 2});
  CHECK(copied(reverse.neighbors(2)) == ids{1, 2});
  CHECK(&graph.reverse() == &reverse);
}

TEST_CASE("patches stand after the targets, step by step", "[message_graph]") {
  message_graph<std::int32_t> graph;
  graph.within = {4};
  CHECK(graph.patch_begin(0) == 4);
  CHECK(graph.patch_begin(1) == 8);
}

TEST_CASE("a message graph without nodes has no targets", "[message_graph]") {
  const message_graph<std::int32_t> graph;
  CHECK(graph.nodes() == 0);
  CHECK(graph.targets() == 0);
}
