// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/ego_cost.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "graphpatcher/graph/builder.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;

namespace {

/// Nodes in a row, each an edge from the next.
gp::csr_graph<node_id> path(std::size_t nodes) {
  std::vector<gp::edge<node_id>> edges;
  for (node_id v = 1; v < static_cast<node_id>(nodes); ++v) {
    edges.push_back({v - 1, v});
  }
  return gp::build_graph<node_id>(nodes, edges);
}

}  // namespace

TEST_CASE("ego-graphs are measured on a few anchors", "[patcher]") {
  const auto graph = path(1000);
  const auto cost = gp::measure_ego_cost(graph, std::vector<node_id>{0, 500}, 3);
  CHECK(cost.anchors == 2);
  CHECK(cost.hops == 3);
  CHECK(cost.nodes == 5.5);  // 4 at the end of the path, 7 in the middle
  CHECK(cost.graphs(64) == Approx(64 * 5.5 / 1000));
  std::vector<node_id> all(1000);
  std::iota(all.begin(), all.end(), 0);
  CHECK(gp::measure_ego_cost(graph, all, 3).anchors == 8);
  CHECK(gp::measure_ego_cost(graph, {}, 3).nodes == 0);
}

TEST_CASE("only a batch that is as much work as many graphs is worth a warning", "[patcher]") {
  const gp::ego_cost deep{.hops = 10, .anchors = 8, .nodes = 2391.4, .graph = 2708};
  CHECK(gp::warning_of(deep, 64) ==
        "the backbone sees 10 hops, and an ego-graph has 2391 of 2708 nodes (mean of 8 anchors): a batch of 64 is as "
        "much work as the whole graph 57 times");
  CHECK(gp::warning_of({.hops = 2, .anchors = 8, .nodes = 36, .graph = 2708}, 64).empty());
  CHECK(gp::warning_of({.hops = 2, .anchors = 8, .nodes = 50, .graph = 60}, 64).empty());         // small work
  CHECK(gp::warning_of({.hops = 2, .anchors = 8, .nodes = 2000, .graph = 169'343}, 64).empty());  // a large graph
}
