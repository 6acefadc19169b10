// SPDX-License-Identifier: MIT
#include "graphs.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/io/npy.hpp"
#include "npy_writer.hpp"

using namespace bench;
using node_id = bench::index;

namespace {

/// 0 - 1 - 2 and the lonely 3.
gp::csr_graph<node_id> path_graph() {
  return gp::build_graph<node_id>(4, std::vector<gp::edge<node_id>>{{0, 1}, {1, 2}});
}

}  // namespace

TEST_CASE("messages of a graph are its edges, without self-loops") {
  const auto messages = messages_of(path_graph());
  CHECK(messages.offsets == std::vector<node_id>{0, 1, 3, 4, 4});
  CHECK(messages.sources == std::vector<node_id>{1, 0, 2, 1});
  CHECK(messages.in_degree == std::vector<node_id>{1, 2, 1, 0});
  CHECK(messages.targets() == 4);
}

TEST_CASE("anchors have a neighbour and are spread evenly") {
  CHECK(anchors_of(path_graph(), 10) == std::vector<node_id>{0, 1, 2});
  CHECK(anchors_of(path_graph(), 1) == std::vector<node_id>{0});
}

TEST_CASE("random numbers are the same every time and lie in [-1, 1)") {
  const auto once = random_matrix(3, 5, 7);
  const auto again = random_matrix(3, 5, 7);
  const auto other = random_matrix(3, 5, 8);
  CHECK(std::equal(once.values().begin(), once.values().end(), again.values().begin()));
  CHECK_FALSE(std::equal(once.values().begin(), once.values().end(), other.values().begin()));
  for (const float value : once.values()) {
    CHECK((value >= -1 && value < 1));
  }
}

TEST_CASE("a dataset whose files are not there is missing data") {
  const run_options nowhere{.threads = 1, .quick = false, .data = "no/such/folder", .filter = ""};
  CHECK_THROWS_AS(load("cora", nowhere), missing_data);
  CHECK_THROWS_AS(load("coauthor-cs", nowhere), missing_data);
}

TEST_CASE("what is written as .npy is read back") {
  const auto file = std::filesystem::temp_directory_path() / "graphpatcher_bench_support.npy";
  const std::vector<float> values{1.5f, -2.0f, 0.25f, 3.0f, 4.0f, 5.0f};
  write_npy<float>(file, values, {2, 3});
  const auto back = gp::read_npy<float>(file);
  CHECK(back.shape == std::vector<std::size_t>{2, 3});
  CHECK(back.values == values);
  const std::vector<std::uint8_t> bytes{0, 1, 1};
  write_npy<std::uint8_t>(file, bytes, {3});
  CHECK(gp::read_npy<std::uint8_t>(file).values == bytes);
  std::filesystem::remove(file);
}
