// SPDX-License-Identifier: MIT
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <graphpatcher/graph/builder.hpp>
#include <graphpatcher/graph/dataset.hpp>
#include <graphpatcher/io/graph_files.hpp>
#include <iostream>

namespace gp = graphpatcher;

int main() {
  using id = std::int32_t;

  // 0 - 1 - 2 - 3, and 4 alone; edges in any order, named once or twice.
  gp::dataset<float, id> data;
  data.name = "path";
  data.graph = gp::build_graph<id>(5, {{0, 1}, {1, 2}, {2, 1}, {2, 3}});
  data.features = gp::matrix<float>{{1, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 1}};
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

  // The same from files; a random half of the labelled nodes is for testing.
  const auto folder = std::filesystem::temp_directory_path();
  std::ofstream(folder / "path_edges.csv") << "source,target\n0,1\n1,2\n2,1\n2,3\n";
  std::ofstream(folder / "path_features.csv") << "1,0\n1,0\n0,1\n0,1\n1,1\n";
  std::ofstream(folder / "path_labels.csv") << "0\n0\n1\n1\n-1\n";
  const auto read = gp::load_graph_files({.edges = folder / "path_edges.csv",
                                          .features = folder / "path_features.csv",
                                          .labels = folder / "path_labels.csv",
                                          .split = {.train = 0.25, .validation = 0.25}});
  std::cout << read.name << ": " << read.nodes() << " nodes, " << read.graph.entries() / 2 << " edges, "
            << read.split.test.size() << " for testing\n";
}
