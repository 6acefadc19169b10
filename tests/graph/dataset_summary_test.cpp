// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/dataset_summary.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/builder.hpp"

using namespace graphpatcher;

TEST_CASE("a dataset as a line") {
  dataset<float, int> data;
  data.graph = build_graph<int>(5, {{0, 1}, {1, 2}});
  data.features = sparse_from_dense<int>(matrix<float>(5, 4).view());
  data.labels = {0, 1, 0, 1, -1};
  data.classes = 2;
  data.split = {{0}, {1}, {2, 3}};
  CHECK(summarise(data).line() ==
        "5 nodes, 2 isolated; 2 edges; 4 sparse columns; 2 classes, 1 nodes without one; split 1/1/2");
}
