// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/nearest_hops.hpp"

#include <catch2/catch.hpp>

#include "support/slow_graph.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;

TEST_CASE("the nearest hops of ego-graphs are the ego-graphs of fewer hops", "[graph]") {
  const auto graph = slow::random_graph<node_id>(80, 120, 7);
  const std::vector<node_id> anchors{3, 0, 79, 41};
  const auto wide = gp::make_ego_batch(gp::cpu{}, graph, anchors, {.hops = 5});
  for (std::size_t hops = 1; hops <= 5; ++hops) {
    INFO(hops << " hops");
    const auto near = gp::nearest_hops(wide, hops);
    const auto expected = gp::make_ego_batch(gp::cpu{}, graph, anchors, {.hops = hops});
    CHECK(near.hops == hops);
    CHECK(near.anchors == expected.anchors);
    CHECK(near.hop_offsets == expected.hop_offsets);
    CHECK(near.nodes == expected.nodes);
    CHECK(near.edge_offsets == expected.edge_offsets);
    CHECK(near.edge_sources == expected.edge_sources);
    CHECK(near.in_degree == expected.in_degree);
    CHECK(near.out_degree == expected.out_degree);
  }
  CHECK_THROWS_WITH(gp::nearest_hops(wide, 6), "nearest_hops: expected from 1 to 5 hops, got 6");
  CHECK_THROWS_AS(gp::nearest_hops(wide, 0), gp::argument_error);
}
