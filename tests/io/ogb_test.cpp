// SPDX-License-Identifier: MIT
#include "graphpatcher/io/ogb.hpp"

#include <catch2/catch.hpp>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::gzipped;
using ids = std::vector<std::int32_t>;

namespace {

/// Five nodes, in the layout of ogbn-arxiv: no headers, everything packed.
struct ogb_files {
  std::string edges = "0,1\n1,0\n1,2\n3,2\n4,4\n";
  std::string features = "0.5,0\n0,-1\n0,0\n1,2\n-0.25,1e-3\n";
  std::string labels = "0\n1\n0\n2\n1\n";
  std::string count = "5\n";
  std::string train = "4\n0\n";
  std::string validation = "1\n";
  std::string test = "2\n3\n";

  auto load() const {
    const gp_test::temporary_folder folder;
    std::filesystem::create_directories(folder.path() / "raw");
    std::filesystem::create_directories(folder.path() / "split/time");
    for (const auto& [name, content] :
         std::vector<std::pair<std::string, std::string>>{{"raw/edge", edges},
                                                          {"raw/node-feat", features},
                                                          {"raw/node-label", labels},
                                                          {"raw/num-node-list", count},
                                                          {"split/time/train", train},
                                                          {"split/time/valid", validation},
                                                          {"split/time/test", test}}) {
      if (!content.empty()) {
        folder.write(name + ".csv.gz", gzipped(content));
      }
    }
    return load_ogb<float, std::int32_t>(folder.path(), "ogbn-arxiv", "time");
  }
};

void check_refused(const ogb_files& files, const std::string& path, const std::string& message) {
  check_error<format_error>([&] { files.load(); }, path, message);
}

}  // namespace

TEST_CASE("ogb: by hand") {
  const auto data = ogb_files{}.load();
  CHECK(data.name == "ogbn-arxiv");
  CHECK(gp_test::neighbor_lists(data.graph) == std::vector<std::vector<int>>{{1}, {0, 2}, {1, 3}, {2}, {}});
  CHECK(data.labels == ids{0, 1, 0, 2, 1});
  CHECK(data.classes == 3);
  CHECK(data.features.is_dense());
  CHECK(data.features ==
        feature_table<float, std::int32_t>(matrix<float>{{0.5f, 0}, {0, -1}, {0, 0}, {1, 2}, {-0.25f, 1e-3f}}));
  CHECK(data.split.train == ids{0, 4});
  CHECK(data.split.validation == ids{1});
  CHECK(data.split.test == ids{2, 3});
  CHECK(ogb_files{.count = ""}.load().nodes() == 5);
}

TEST_CASE("ogb: files that don't fit together, with their line") {
  check_refused({.edges = "0,1\n1,5\n"}, "edge.csv.gz",
                "line 2 of the unpacked text: expected a target's id in [0, 5), got 5");
  check_refused({.edges = "0,1\nx,1\n"}, "edge.csv.gz", "line 2 of the unpacked text: expected a source's id");
  check_refused({.features = "0.5,0\n0,-1\n0\n1,2\n-0.25,1e-3\n"}, "node-feat.csv.gz",
                "line 3 of the unpacked text: expected 2 numbers, as on the first line, got 1");
  check_refused({.features = "0.5,0\n0,inf\n"}, "node-feat.csv.gz", "line 2 of the unpacked text: expected");
  check_refused({.labels = "0\n1\n0\n2\n"}, "node-label.csv.gz", "expected 5 lines, a class for each node, got 4");
  check_refused({.labels = "0\n1\n0\n2\n5\n"}, "node-label.csv.gz", "line 5 of the unpacked text: expected a class");
  check_refused({.labels = "0\n1\n0\nnan\n1\n"}, "node-label.csv.gz", "line 4 of the unpacked text");
  check_refused({.count = "6\n"}, "num-node-list.csv.gz", "expected one graph of 5 nodes");
  check_refused({.count = "5\n5\n"}, "num-node-list.csv.gz", "expected one graph of 5 nodes");
  check_refused({.train = "4\n5\n"}, "train.csv.gz", "expected a node's id in [0, 5), got 5");
  check_refused({.validation = "4\n"}, "valid.csv.gz", "node 4 is named again");
  check_refused({.labels = "0\n1\n-1\n2\n1\n"}, "test.csv.gz", "node 2 has no label");
  CHECK_THROWS_AS(ogb_files{.features = ""}.load(), file_error);
  CHECK_THROWS_AS(ogb_files{.test = ""}.load(), file_error);
}
