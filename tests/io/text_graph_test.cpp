// SPDX-License-Identifier: MIT
#include "io/text_graph.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/core/philox.hpp"
#include "io/file_writers.hpp"
#include "support/allocation_watch.hpp"

using namespace graphpatcher;
using gp_test::neighbor_lists;
using gp_test::temporary_folder;

namespace {

/// Edges in a random order with loops and repetitions, and their file.
template <class I>
std::pair<std::vector<edge<I>>, std::string> random_edges(std::size_t nodes, std::size_t count) {
  std::pair<std::vector<edge<I>>, std::string> made;
  for (std::size_t e = 0; e < count; ++e) {
    const auto bits = random_stream(5, purpose::generator).bits(e);
    const auto source = static_cast<I>(bits[0] % nodes);
    const auto target = static_cast<I>(bits[1] % 4 == 0 ? bits[0] % nodes : bits[2] % nodes);
    made.first.push_back({source, target});
    made.second += std::to_string(source) + "\t" + std::to_string(target) + "\n";
  }
  return made;
}

}  // namespace

TEST_CASE("read_graph: by hand") {
  const temporary_folder folder;
  folder.write("e.csv", "0,1\n1,0\n2,1\n1,2\n3,3\n1,2\n");
  const edge_list list(folder.path() / "e.csv");
  using lists = std::vector<std::vector<int>>;
  CHECK(neighbor_lists(read_graph<std::int32_t>(list, 5)) == lists{{1}, {0, 2}, {1}, {}, {}});
  CHECK(neighbor_lists(read_graph<std::int32_t>(list, 5, {.direction = edge_direction::directed})) ==
        lists{{1}, {0, 2}, {1}, {}, {}});
  CHECK(neighbor_lists(
            read_graph<std::int64_t>(list, 5, {edge_direction::directed, duplicate_edges::keep, self_loops::keep})) ==
        lists{{1}, {0, 2}, {1, 1}, {3}, {}});
}

TEMPLATE_TEST_CASE("read_graph: the same as build_graph, for every option and number of threads", "", std::int32_t,
                   std::int64_t) {
  const std::size_t nodes = GENERATE(3000u, 60000u);  // rows of more and of fewer than 32 entries
  const auto [edges, content] = random_edges<TestType>(nodes, 250000);
  const temporary_folder folder;
  folder.write("e.tsv", content);
  folder.write("e.tsv.gz", gp_test::gzipped(content));
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    for (const auto duplicates : {duplicate_edges::merge, duplicate_edges::keep}) {
      for (const auto loops : {self_loops::remove, self_loops::keep}) {
        const build_options options{direction, duplicates, loops};
        const auto expected = build_graph<TestType>(nodes, edges, options);
        for (const int threads : {1, 2, 7}) {
          for (const char* name : {"e.tsv", "e.tsv.gz"}) {
            const auto graph =
                read_graph<TestType>(edge_list(folder.path() / name, {.text = {.exec = {threads}}}), nodes, options);
            CHECK(std::equal(graph.offsets().begin(), graph.offsets().end(), expected.offsets().begin(),
                             expected.offsets().end()));
            CHECK(std::equal(graph.neighbors().begin(), graph.neighbors().end(), expected.neighbors().begin(),
                             expected.neighbors().end()));
            bool same = true;
            for (std::size_t v = 0; v < nodes; ++v) {
              same = same && graph.out_degree(v) == expected.out_degree(v);
            }
            CHECK(same);
          }
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("read_graph: rows of every length are sorted", "", std::int32_t, std::int64_t) {
  const random_stream stream(9, purpose::generator);
  for (std::size_t size = 0; size <= 70; ++size) {
    for (const std::uint32_t range : {3u, 50u, 1u << 30}) {  // with many that are equal, some, none
      std::vector<TestType> row(size);
      for (std::size_t i = 0; i < size; ++i) {
        row[i] = static_cast<TestType>(stream.bits(100 * range + size * 70 + i)[0] % range);
      }
      auto expected = row;
      std::sort(expected.begin(), expected.end());
      detail::sort_row<TestType>(row);
      CHECK(row == expected);
    }
  }
}

TEST_CASE("read_graph: gaps that merged entries leave are closed") {
  std::vector<std::int32_t> offsets{0, 2, 5, 5, 8, 10};
  std::vector<std::int32_t> neighbors{1, 2, 3, 4, -1, 5, -1, -1, 6, 7};
  const std::vector<std::int32_t> ends{2, 4, 5, 6, 10};
  CHECK(detail::close_gaps<std::int32_t>(offsets, ends, neighbors) == 7);
  CHECK(offsets == std::vector<std::int32_t>{0, 2, 4, 4, 5, 7});
  neighbors.resize(7);
  CHECK(neighbors == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("read_graph: no block larger than the graph, the list is never held") {
  const std::size_t nodes = 1000;
  const auto [edges, content] = random_edges<std::int32_t>(nodes, 2000000);
  const temporary_folder folder;
  folder.write("e.tsv", content);
  const edge_list list(folder.path() / "e.tsv");
  gp_test::largest_request = 0;
  const auto graph = read_graph<std::int32_t>(list, nodes, {.duplicates = duplicate_edges::keep});
  CHECK(gp_test::largest_request == graph.entries() * sizeof(std::int32_t));
}

TEST_CASE("read_graph: bad arguments") {
  const temporary_folder folder;
  folder.write("e.csv", "0,1\n");
  const edge_list list(folder.path() / "e.csv");
  CHECK_THROWS_AS(read_graph<std::int32_t>(list, 0), argument_error);
  CHECK_THROWS_AS(read_graph<std::int32_t>(list, 2, {.duplicates = duplicate_edges::reject}), argument_error);
  CHECK_THROWS_AS(read_graph<std::int32_t>(list, 2, {.loops = self_loops::reject}), argument_error);
  CHECK_THROWS_AS(read_graph<std::int32_t>(list, std::size_t{1} << 31), overflow_error);
  CHECK_THROWS_AS(read_graph<std::int32_t>(list, 1), format_error);
}
