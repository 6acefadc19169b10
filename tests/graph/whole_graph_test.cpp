// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/whole_graph.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

TEMPLATE_TEST_CASE("a whole graph has one self-loop a node, first", "[whole_graph]", std::int32_t, std::int64_t) {
  using ids = std::vector<TestType>;
  const std::vector<edge<TestType>> edges{{0, 2}, {1, 2}, {2, 2}};
  const auto messages = whole_graph(build_graph(4, edges, {.loops = self_loops::keep}));
  CHECK(messages.offsets == ids{0, 2, 4, 7, 8});
  CHECK(messages.sources == ids{0, 2, 1, 2, 2, 0, 1, 3});
  CHECK(messages.in_degree == ids{2, 2, 3, 1});
  CHECK(messages.out_degree == ids{2, 2, 3, 1});
  CHECK(messages.within == ids{4});
  CHECK(messages.global_ids == ids{0, 1, 2, 3});
  CHECK(messages.targets() == 4);
  CHECK(messages.patches == 0);
}

TEST_CASE("degrees of a directed whole graph differ by direction", "[whole_graph]") {
  const std::vector<edge<std::int32_t>> edges{{0, 1}, {0, 2}};
  const auto messages = whole_graph(build_graph(3, edges, {.direction = edge_direction::directed}));
  CHECK(messages.in_degree == std::vector<std::int32_t>{1, 2, 2});
  CHECK(messages.out_degree == std::vector<std::int32_t>{3, 1, 1});
}

TEST_CASE("a whole graph without edges is its loops; without nodes an error", "[whole_graph]") {
  const std::vector<edge<std::int32_t>> none;
  CHECK(whole_graph(build_graph(2, none)).sources == std::vector<std::int32_t>{0, 1});
  CHECK_THROWS_AS(whole_graph(csr_graph<std::int32_t>{}), shape_error);
  CHECK_THROWS_WITH(whole_graph(csr_graph<std::int32_t>{}), Contains("at least 1 node"));
}
