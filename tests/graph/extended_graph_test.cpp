// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/extended_graph.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/builder.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;
using ids = std::vector<node_id>;

namespace {

const auto path = gp::build_graph<node_id>(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});

ids row(const gp::message_graph<node_id>& graph, std::size_t i) {
  return {graph.sources.begin() + graph.offsets[i], graph.sources.begin() + graph.offsets[i + 1]};
}

}  // namespace

TEST_CASE("extended_graph: copies of the anchors receive more, all others what they did", "[graph]") {
  const auto more = [](std::size_t v) { return v == 1 ? ids{4} : ids{}; };
  const auto graph = gp::extended_graph<node_id>(path, ids{1, 3}, more);
  CHECK(graph.global_ids == ids{1, 3, 0, 1, 2, 3, 4});
  CHECK(graph.within == ids{2, 7});
  CHECK(row(graph, 0) == ids{0, 2, 4, 6});  // itself, nodes 0 and 2, and 4
  CHECK(row(graph, 1) == ids{1, 4, 6});
  CHECK(row(graph, 2) == ids{2, 3});
  CHECK(row(graph, 6) == ids{6, 5});
  CHECK(graph.in_degree == ids{4, 3, 2, 3, 3, 3, 2});
  CHECK(graph.out_degree == ids{3, 3, 2, 3, 3, 3, 2});
}

TEST_CASE("extended_graph: a duplicate has a loop and an edge back", "[graph]") {
  const auto graph = gp::extended_graph<node_id>(
      path, ids{4}, [](std::size_t) { return ids{}; }, true);
  CHECK(graph.global_ids == ids{4, 4, 0, 1, 2, 3, 4});
  CHECK(graph.within == ids{1, 7});
  CHECK(row(graph, 0) == ids{0, 5, 1});
  CHECK(row(graph, 1) == ids{1, 0});
  CHECK(row(graph, 6) == ids{6, 5});
  CHECK(graph.in_degree == ids{3, 2, 2, 3, 3, 3, 2});
  CHECK(graph.out_degree == ids{3, 2, 2, 3, 3, 3, 2});
}

TEST_CASE("extended_graph: an anchor out of range is refused", "[graph]") {
  CHECK_THROWS_AS(gp::extended_graph<node_id>(path, ids{5}, [](std::size_t) { return ids{}; }), gp::index_error);
}
