// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/graph_view.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

namespace gp = graphpatcher;
using node_id = std::int32_t;

TEST_CASE("a graph view tells degrees without loops", "[graph]") {
  // 0 - 1, 0 - 2, a loop at 0, 3 alone
  const gp::csr_graph<node_id> graph({0, 3, 4, 5, 5}, {0, 1, 2, 0, 0});
  const gp::host_graph<node_id> host(graph);
  const auto view = host.view();
  CHECK(view.nodes() == 4);
  CHECK(std::vector(view.in_degrees.begin(), view.in_degrees.end()) == std::vector<node_id>{2, 1, 1, 0});
  CHECK(std::vector(view.out_degrees.begin(), view.out_degrees.end()) == std::vector<node_id>{2, 1, 1, 0});
  CHECK(view.undirected);
  CHECK(view.largest_degree == 3);
}

TEST_CASE("a graph is undirected if every edge stands in both rows, once", "[graph]") {
  const auto undirected = [](std::vector<node_id> offsets, std::vector<node_id> neighbors) {
    const gp::csr_graph<node_id> graph(std::move(offsets), std::move(neighbors));
    return gp::host_graph<node_id>(graph).view().undirected;
  };
  CHECK(undirected({0, 0}, {}));
  CHECK(undirected({0, 1, 2}, {1, 0}));
  CHECK_FALSE(undirected({0, 1, 1}, {1}));              // 1 -> 0 only
  CHECK_FALSE(undirected({0, 2, 4}, {1, 1, 0, 0}));     // an edge twice
  CHECK_FALSE(undirected({0, 1, 2, 3}, {1, 2, 0}));     // a ring one way
  CHECK(undirected({0, 2, 4, 6}, {1, 2, 0, 2, 0, 1}));  // a triangle
}
