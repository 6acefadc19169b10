// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "graphpatcher/graph/csr_graph.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

using graph32 = csr_graph<std::int32_t>;

TEMPLATE_TEST_CASE("csr_graph gives rows, degrees and sizes", "[csr_graph]", std::int32_t, std::int64_t) {
  const csr_graph<TestType> graph({0, 2, 3, 3}, {1, 2, 0});
  CHECK(graph.nodes() == 3);
  CHECK(graph.entries() == 3);
  REQUIRE(graph.neighbors(0).size() == 2);
  CHECK(graph.neighbors(0)[0] == 1);
  CHECK(graph.neighbors(0)[1] == 2);
  CHECK(graph.degree(0) == 2);
  CHECK(graph.degree(1) == 1);
  CHECK(graph.degree(2) == 0);
}

TEST_CASE("csr_graph: rows that are mirrored have as many that name a node as it names", "[csr_graph]") {
  const std::vector<std::int32_t> offsets{0, 2, 3, 4, 5};
  const std::vector<std::int32_t> neighbors{1, 2, 0, 0, 3};
  const graph32 counted(offsets, neighbors);
  const graph32 known(offsets, neighbors, graph_rows::mirrored);
  for (std::size_t v = 0; v < 4; ++v) {
    CHECK(known.out_degree(v) == counted.out_degree(v));
  }
}

TEST_CASE("csr_graph: rows may fall from one to the next, with empty ones between", "[csr_graph]") {
  CHECK(graph32({0, 0, 2, 2, 3, 3}, {3, 4, 0}).entries() == 3);
  CHECK_THROWS_AS(graph32({0, 0, 2, 2, 3, 3}, {4, 3, 0}), index_error);
  CHECK_THROWS_AS(graph32({0, 0, 3, 3, 3, 3}, {3, 4, 0}), index_error);
}

TEST_CASE("an empty csr_graph has no nodes", "[csr_graph]") {
  CHECK(graph32{}.nodes() == 0);
  CHECK(graph32{}.entries() == 0);
}

TEST_CASE("csr_graph refuses arrays that are no graph", "[csr_graph]") {
  CHECK_THROWS_AS(graph32({}, {}), shape_error);
  CHECK_THROWS_AS(graph32({1, 1}, {0}), shape_error);
  CHECK_THROWS_AS(graph32({0, 1}, {0, 0}), shape_error);
  CHECK_THROWS_AS(graph32({0, 2, 1, 2}, {0, 1}), shape_error);
  CHECK_THROWS_WITH(graph32({0, 2, 1, 2}, {0, 1}), Contains("fall at node 1"));
  CHECK_THROWS_AS(graph32({0, 9, 2}, {0, 1}), shape_error);
  CHECK_THROWS_AS(graph32({0, 1, 1}, {2}), index_error);
  CHECK_THROWS_WITH(graph32({0, 1, 1}, {2}), Contains("node 0 has neighbour 2") && Contains("[0, 2)"));
  CHECK_THROWS_AS(graph32({0, 1, 1}, {-1}), index_error);
  CHECK_THROWS_AS(graph32({0, 2, 2}, {1, 0}), index_error);
  CHECK_THROWS_WITH(graph32({0, 2, 2}, {1, 0}), Contains("ascending"));
}
