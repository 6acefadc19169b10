// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/degrees.hpp"

using namespace graphpatcher;

namespace {

using ids = std::vector<std::int32_t>;

// 0 -> 1, 0 -> 2, 1 -> 2, 3 -> 0 and a node on its own.
csr_graph<std::int32_t> one_way() {
  const std::vector<edge<std::int32_t>> edges{{0, 1}, {0, 2}, {1, 2}, {3, 0}};
  return build_graph(5, edges, {.direction = edge_direction::directed});
}

ids copied(std::span<const std::int32_t> values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("degrees count what arrives and what leaves", "[degrees]") {
  CHECK(in_degrees(one_way()) == ids{1, 1, 2, 0, 0});
  CHECK(out_degrees(one_way()) == ids{2, 1, 0, 1, 0});
}

TEST_CASE("the reverse graph turns every edge round", "[degrees]") {
  const auto graph = one_way();
  const auto reversed = reverse_graph(graph);
  CHECK(copied(reversed.neighbors(0)) == ids{1, 2});
  CHECK(copied(reversed.neighbors(1)) == ids{2});
  CHECK(copied(reversed.neighbors(2)).empty());
  CHECK(copied(reversed.neighbors(3)) == ids{0});
  CHECK(copied(reversed.neighbors(4)).empty());
  const auto back = reverse_graph(reversed);
  CHECK(copied(back.offsets()) == copied(graph.offsets()));
  CHECK(copied(back.neighbors()) == copied(graph.neighbors()));
}

TEST_CASE("an undirected graph is its own reverse", "[degrees]") {
  const std::vector<edge<std::int32_t>> edges{{0, 1}, {0, 2}, {1, 2}, {3, 0}};
  const auto undirected = build_graph(5, edges);
  CHECK(is_symmetric(undirected));
  CHECK(in_degrees(undirected) == out_degrees(undirected));
  CHECK_FALSE(is_symmetric(one_way()));
  // Twice one way, once the other: the same pairs, but not the same graph.
  CHECK_FALSE(is_symmetric(csr_graph<std::int32_t>({0, 2, 3}, {1, 1, 0})));
}
