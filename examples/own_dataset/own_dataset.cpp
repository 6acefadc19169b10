// SPDX-License-Identifier: MIT
#include <cstdint>
#include <graphpatcher/graph/builder.hpp>
#include <graphpatcher/graph/dataset.hpp>
#include <iostream>

namespace gp = graphpatcher;

int main() {
  using id = std::int32_t;

  // 0 - 1 - 2 - 3, and 4 alone; edges in any order, named once or twice.
  gp::dataset<float, id> data;
  data.name = "path";
  data.graph = gp::build_graph<id>(5, {{0, 1}, {1, 2}, {2, 1}, {2, 3}});
  data.features = gp::sparse_from_dense<id>(gp::matrix<float>{{1, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 1}}.view());
  data.labels = {0, 0, 1, 1, -1};  // nobody knows the class of node 4
  data.classes = 2;
  data.split = {.train = {0, 3}, .validation = {1}, .test = {2}};
  data.check();
  std::cout << data.name << ": " << data.nodes() << " nodes, " << data.graph.entries() / 2 << " edges\n";

  data.split.test = {2, 4};
  try {
    data.check();
  } catch (const gp::index_error& problem) {
    std::cout << "refused: " << problem.what() << '\n';
  }
}
