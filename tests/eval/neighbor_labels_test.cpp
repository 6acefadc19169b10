// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/neighbor_labels.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "graphpatcher/graph/builder.hpp"

using namespace graphpatcher;

TEST_CASE("neighbours by their labels, by hand") {
  // 0 - 1, 0 - 2, 0 - 3, 3 - 4; 5 alone; node 4 has no label.
  const auto graph = build_graph<int>(6, {{0, 1}, {0, 2}, {0, 3}, {3, 4}});
  const std::vector<int> labels{0, 0, 1, 2, -1, 1};
  const auto of = [&](const std::vector<int>& nodes) { return describe_neighbors<int>(graph, labels, nodes, 3); };
  CHECK(of({0}).homophily == Approx(1.0 / 3));
  CHECK(of({0}).diversity == Approx(1));  // one of each of three classes
  CHECK(of({1}).homophily == 1);
  CHECK(of({1}).diversity == 0);
  CHECK(of({3}).homophily == 0);  // 4 says nothing
  CHECK(of({0, 1, 3, 5}).homophily == Approx((1.0 / 3 + 1 + 0) / 3));
  CHECK(of({0, 1, 3, 5}).diversity == Approx(1.0 / 3));
  CHECK(std::isnan(of({5}).homophily));
  CHECK(std::isnan(of({}).diversity));
  const std::vector<int> two{0, 0, 1, 0, 1, 0};
  CHECK(describe_neighbors<int>(graph, two, std::vector{0}, 2).diversity ==
        Approx(-(2.0 / 3 * std::log(2.0 / 3) + 1.0 / 3 * std::log(1.0 / 3)) / std::log(2.0)));
  CHECK(describe_neighbors<int>(graph, std::vector<int>(6), std::vector{0}, 1).diversity == 0);
}
