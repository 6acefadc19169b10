// SPDX-License-Identifier: MIT
// Every reader, with memory that runs out at its first request, at its second, and so on to the last: each time an
// error, and nothing is left behind.
#include <catch2/catch.hpp>

#include <functional>
#include <new>

#include "graphpatcher/io/geom_gcn.hpp"
#include "graphpatcher/io/gnn_benchmark.hpp"
#include "graphpatcher/io/graph_files.hpp"
#include "graphpatcher/io/heterophilous.hpp"
#include "graphpatcher/io/load_dataset.hpp"
#include "graphpatcher/io/ogb.hpp"
#include "graphpatcher/io/planetoid.hpp"
#include "graphpatcher/io/wiki_cs.hpp"
#include "io/edge_list.hpp"
#include "io/file_writers.hpp"
#include "io/text_graph.hpp"
#include "support/allocation_watch.hpp"

using namespace graphpatcher;
using gp_test::gzipped;
using gp_test::npy;
using i32 = std::int32_t;
using i64 = std::int64_t;

namespace {

/// Calls `load` with every request failing in its turn, and returns how many there are.
template <class Load>
std::size_t fail_everywhere(const Load& load) {
  load();  // what is made once for the whole program is made now
  for (long count = 0;; ++count) {
    const std::size_t before = gp_test::live_bytes;
    bool failed = false;
    bool reached = false;
    {
      const gp_test::failing_allocations failing(count);
      try {
        load();
      } catch (const std::bad_alloc&) {
        failed = true;
      } catch (const error&) {
        failed = true;
      }
      reached = failing.reached();
    }
    const std::size_t after = gp_test::live_bytes;
    if (after != before || (reached && !failed)) {
      FAIL("request " << count << ": " << (failed ? "failed" : "loaded") << ", " << after - before << " bytes left");
    }
    if (!reached) {
      CHECK_FALSE(failed);
      return static_cast<std::size_t>(count);
    }
    REQUIRE(count < 100000);
  }
}

const cpu alone{1};  // the same requests each time

}  // namespace

TEST_CASE("allocation failure: Planetoid") {
  const gp_test::temporary_folder folder;
  gp_test::tiny_planetoid{}.write(folder);
  const auto load = [&] { load_planetoid<float, i32>(folder.path(), "tiny", {.validation = 1}); };
  CHECK(fail_everywhere(load) > 50);
}

TEST_CASE("allocation failure: gnn-benchmark, sparse and dense features") {
  const gp_test::temporary_folder folder;
  const std::pair<std::string, std::string> common[] = {
      {"adj_shape", npy<i64>({2}, {10, 10})},
      {"adj_indptr", npy<i32>({11}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 10})},
      {"adj_indices", npy<i32>({10}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 0})},
      {"adj_data", npy<float>({10}, std::vector<float>(10, 1.0f))},
      {"labels", npy<i64>({10}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1})}};
  std::vector<std::pair<std::string, std::string>> sparse(std::begin(common), std::end(common));
  auto dense = sparse;
  sparse.emplace_back("attr_shape", npy<i64>({2}, {10, 2}));
  sparse.emplace_back("attr_indptr", npy<i32>({11}, {0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
  sparse.emplace_back("attr_indices", npy<i32>({2}, {1, 0}));
  sparse.emplace_back("attr_data", npy<float>({2}, {3, 4}));
  dense.emplace_back("attr_matrix", npy<float>({10, 1}, std::vector<float>(10, 1.0f)));
  folder.write("sparse.npz", gp_test::npz(sparse));
  folder.write("dense.npz", gp_test::npz(dense));
  for (const char* name : {"sparse.npz", "dense.npz"}) {
    const auto load = [&] {
      load_gnn_benchmark<float, i32>(folder.path() / name, "g", {.train = 0.2, .validation = 0.2});
    };
    CHECK(fail_everywhere(load) > 30);
  }
}

TEST_CASE("allocation failure: geom-gcn") {
  const gp_test::temporary_folder folder;
  folder.write("out1_node_feature_label.txt", "id\tfeature\tlabel\n0\t0,1\t0\n1\t1,1\t1\n2\t0,0\t0\n");
  folder.write("out1_graph_edges.txt", "a\tb\n0\t1\n1\t2\n");
  folder.write("split.npz", gp_test::npz({{"train_mask", npy<i64>({3}, {1, 0, 0})},
                                          {"val_mask", npy<i64>({3}, {0, 1, 0})},
                                          {"test_mask", npy<i64>({3}, {0, 0, 1})}}));
  const auto load = [&] {
    load_geom_gcn<float, i32>(folder.path(), folder.path() / "split.npz", "g", {.exec = alone});
  };
  CHECK(fail_everywhere(load) > 30);
}

TEST_CASE("allocation failure: heterophilous") {
  const gp_test::temporary_folder folder;
  folder.write("h.npz", gp_test::npz({{"node_features", npy<float>({3, 2}, {1, 0, 0, 2, 3, 4})},
                                      {"node_labels", npy<i64>({3}, {0, 1, 0})},
                                      {"edges", npy<i64>({2, 2}, {0, 1, 1, 2})},
                                      {"train_masks", npy<std::uint8_t>({1, 3}, {1, 0, 0})},
                                      {"val_masks", npy<std::uint8_t>({1, 3}, {0, 1, 0})},
                                      {"test_masks", npy<std::uint8_t>({1, 3}, {0, 0, 1})}}));
  CHECK(fail_everywhere([&] { load_heterophilous<float, i32>(folder.path() / "h.npz", "h"); }) > 30);
}

TEST_CASE("allocation failure: Wiki-CS") {
  const gp_test::temporary_folder folder;
  folder.write("data.json", R"({"features": [[1, 0], [0, 2], [3, 4]], "labels": [0, 1, 0], "links": [[1], [2], []],
    "train_masks": [[true, false, false]], "stopping_masks": [[1, 1, 1]], "val_masks": [[false, true, false]],
    "test_mask": [false, false, true]})");
  CHECK(fail_everywhere([&] { load_wiki_cs<float, i32>(folder.path() / "data.json"); }) > 30);
}

TEST_CASE("allocation failure: OGB") {
  const gp_test::temporary_folder folder;
  std::filesystem::create_directories(folder.path() / "raw");
  std::filesystem::create_directories(folder.path() / "split/time");
  folder.write("raw/edge.csv.gz", gzipped("0,1\n1,2\n"));
  folder.write("raw/node-feat.csv.gz", gzipped("1,0\n0,2\n3,4\n"));
  folder.write("raw/node-label.csv.gz", gzipped("0\n1\n0\n"));
  folder.write("raw/num-node-list.csv.gz", gzipped("3\n"));
  folder.write("split/time/train.csv.gz", gzipped("0\n"));
  folder.write("split/time/valid.csv.gz", gzipped("1\n"));
  folder.write("split/time/test.csv.gz", gzipped("2\n"));
  CHECK(fail_everywhere([&] { load_ogb<float, i32>(folder.path(), "g", "time", {.exec = alone}); }) > 50);
}

TEST_CASE("allocation failure: a graph of one's own, csv, MatrixMarket and npy") {
  const gp_test::temporary_folder folder;
  folder.write("e.csv", "0,1\n1,2\n");
  folder.write("e.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
  folder.write("x.csv", "1,0\n0,2\n3,4\n");
  folder.write("x.npy", npy<float>({3, 2}, {1, 0, 0, 2, 3, 4}));
  folder.write("y.csv", "0\n1\n0\n");
  folder.write("y.npy", npy<i64>({3}, {0, 1, 0}));
  for (int part = 0; part < 3; ++part) {
    folder.write("part" + std::to_string(part) + ".csv", std::to_string(part) + "\n");
  }
  for (const auto& [edges, features, labels] :
       {std::tuple{"e.csv", "x.csv", "y.csv"}, std::tuple{"e.mtx", "x.npy", "y.npy"}}) {
    const graph_files files{.edges = folder.path() / edges,
                            .features = folder.path() / features,
                            .labels = folder.path() / labels,
                            .train = folder.path() / "part0.csv",
                            .validation = folder.path() / "part1.csv",
                            .test = folder.path() / "part2.csv",
                            .text = {.exec = alone}};
    CHECK(fail_everywhere([&] { load_graph_files(files); }) > 30);
  }
}

TEST_CASE("allocation failure: several threads reading at once") {
  const gp_test::temporary_folder folder;
  std::string edges;
  for (int i = 0; i < 400000; ++i) {
    edges += std::to_string(i % 1000) + "," + std::to_string(i * 7 % 1000) + "\n";
  }
  folder.write("e.csv", edges);
  const auto load = [&] { read_graph<i32>(edge_list(folder.path() / "e.csv", {.text = {.exec = {3}}}), 1000); };
  load();
  const std::size_t before = gp_test::live_bytes;
  std::size_t failures = 0;
  for (long count = 0; count < 60; ++count) {
    const gp_test::failing_allocations failing(count);
    try {
      load();
    } catch (const std::bad_alloc&) {
      ++failures;
    } catch (const error&) {
      ++failures;
    }
  }
  CHECK(gp_test::live_bytes == before);
  CHECK(failures >= 20);
}
