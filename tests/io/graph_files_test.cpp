// SPDX-License-Identifier: MIT
#include "graphpatcher/io/graph_files.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::gzipped;
using gp_test::npy;
using gp_test::temporary_folder;
using ids = std::vector<std::int32_t>;

namespace {

/// A path of five nodes, written in every way that is read, and its split.
class path_folder {
public:
  path_folder() {
    folder_.write("edges.csv", "source,target\n0,1\n1,2\n2,3\n3,4\n4,3\n");
    folder_.write("edges.tsv", "0\t1\n1\t2\n2\t3\n3\t4");
    folder_.write("edges.csv.gz", gzipped("0,1\n1,2\n2,3\n3,4\n"));
    folder_.write("edges.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n4 3\n5 4\n");
    folder_.write("x.csv", "a,b\n1,0\n0,0.1\n0,0\n2,2\n0,1\n");
    folder_.write("x.csv.gz", gzipped("1,0\n0,0.1\n0,0\n2,2\n0,1\n"));
    folder_.write("x.npy", npy<double>({5, 2}, {1, 0, 0, 0.1, 0, 0, 2, 2, 0, 1}));
    folder_.write("y.csv", "class\n0\n1\n0\n1\n-1\n");
    folder_.write("y.npy", npy<std::int64_t>({5}, {0, 1, 0, 1, -1}));
    folder_.write("train.csv", "0\n");
    folder_.write("validation.npy", npy<std::int64_t>({1}, {1}));
    folder_.write("test.csv", "3\n2\n");
  }

  graph_files files(const std::string& edges = "edges.csv", const std::string& features = "x.csv",
                    const std::string& labels = "y.csv") const {
    return {.edges = folder_.path() / edges,
            .features = folder_.path() / features,
            .labels = folder_.path() / labels,
            .train = folder_.path() / "train.csv",
            .validation = folder_.path() / "validation.npy",
            .test = folder_.path() / "test.csv"};
  }
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    folder_.write(name, content);
    return folder_.path() / name;
  }

private:
  temporary_folder folder_;
};

}  // namespace

TEST_CASE("graph_files: every kind of file gives the same graph") {
  const path_folder folder;
  for (const char* edges : {"edges.csv", "edges.tsv", "edges.csv.gz", "edges.mtx"}) {
    for (const char* features : {"x.csv", "x.csv.gz", "x.npy"}) {
      for (const char* labels : {"y.csv", "y.npy"}) {
        INFO(edges << " " << features << " " << labels);
        const auto data = load_graph_files(folder.files(edges, features, labels));
        CHECK(data.name == "graph");
        CHECK(gp_test::neighbor_lists(data.graph) == std::vector<std::vector<int>>{{1}, {0, 2}, {1, 3}, {2, 4}, {3}});
        CHECK(data.labels == ids{0, 1, 0, 1, -1});
        CHECK(data.classes == 2);
        CHECK(data.features.is_dense());
        CHECK(data.features ==
              feature_table<float, std::int32_t>(matrix<float>{{1, 0}, {0, 0.1f}, {0, 0}, {2, 2}, {0, 1}}));
        CHECK(data.split.train == ids{0});
        CHECK(data.split.validation == ids{1});
        CHECK(data.split.test == ids{2, 3});
      }
    }
  }
}

TEST_CASE("graph_files: ids from 1, directed, normalised, a random split") {
  const path_folder folder;
  auto files = folder.files();
  files.edges = folder.write("one.csv", "1,2\n2,3\n3,4\n4,5\n");
  files.train = folder.write("one_train.csv", "1\n");
  files.validation = folder.write("one_validation.csv", "2\n");
  files.test = folder.write("one_test.npy", npy<std::int32_t>({2}, {3, 4}));
  files.first_id = 1;
  files.normalise = true;
  files.build.direction = edge_direction::directed;
  files.name = "mine";
  const auto data = load_graph_files<double, std::int64_t>(files);
  CHECK(data.name == "mine");
  CHECK(gp_test::neighbor_lists(data.graph) == std::vector<std::vector<int>>{{}, {0}, {1}, {2}, {3}});
  CHECK(data.split.test == std::vector<std::int64_t>{2, 3});
  CHECK(data.features ==
        feature_table<double, std::int64_t>(matrix<double>{{1, 0}, {0, 1}, {0, 0}, {0.5, 0.5}, {0, 1}}));
  auto random = folder.files();
  random.train = random.validation = random.test = "";
  random.split = {.train = 0.25, .validation = 0.25, .seed = 3};
  const auto split = load_graph_files(random).split;
  CHECK(split.train.size() == 1);
  CHECK(split.validation.size() == 1);
  CHECK(split.test.size() == 2);
}

TEST_CASE("graph_files: files that are not given, not there or not of one graph") {
  const path_folder folder;
  const auto refused = [&](graph_files files, const std::string& path, const std::string& message) {
    check_error<format_error>([&] { load_graph_files(files); }, path, message);
  };
  auto files = folder.files();
  files.labels = "";
  CHECK_THROWS_AS(load_graph_files(files), argument_error);
  files = folder.files();
  files.test = "";
  CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains("or for none of them (a random split), got 2"));
  files = folder.files();
  files.first_id = 2;
  CHECK_THROWS_AS(load_graph_files(files), argument_error);
  files = folder.files("none.csv");
  CHECK_THROWS_AS(load_graph_files(files), file_error);

  files = folder.files();
  files.labels = folder.write("short.csv", "0\n1\n0\n1\n");
  refused(files, "short.csv", "expected 5 classes, one for each row of");
  files.labels = folder.write("high.csv", "0\n1\n0\n1\n5\n");
  refused(files, "high.csv", "line 5: expected a class (-1 = unknown) in [-1, 5), got 5");
  files.labels = folder.write("high.npy", npy<std::int64_t>({5}, {0, 1, 0, 1, 5}));
  refused(files, "high.npy", "expected a class (-1 = unknown) in [-1, 5), got 5 at place 4");
  files.labels = folder.write("square.npy", npy<std::int64_t>({5, 1}, {0, 1, 0, 1, 0}));
  refused(files, "square.npy", "expected one axis, got 2");
  files.labels = folder.write("float.npy", npy<double>({5}, {0, 1, 0, 1, 0}));
  refused(files, "float.npy", "expected integers");

  files = folder.files();
  files.features = folder.write("nan.npy", npy<double>({5, 1}, {0, 1, std::nan(""), 1, 0}));
  refused(files, "nan.npy", "expected finite numbers, got nan in row 2, column 0");
  files.features = folder.write("flat.npy", npy<double>({5}, {0, 1, 0, 1, 0}));
  refused(files, "flat.npy", "expected two axes");
  files.features = folder.write("none.csv", "");
  refused(files, "none.csv", "expected a row for each node, got none");
  files.features = folder.write("ragged.csv", "1,2\n1\n");
  refused(files, "ragged.csv", "line 2: expected 2 numbers, as on the first line, got 1");

  files = folder.files();
  files.edges = folder.write("far.csv", "0,1\n1,5\n");
  refused(files, "far.csv", "line 2: expected a target's id in [0, 5), got 5");
  files = folder.files();
  files.test = folder.write("overlap.csv", "3\n0\n");
  refused(files, "overlap.csv", "node 0 is named again");
  files.test = folder.write("unlabelled.csv", "4\n");
  refused(files, "unlabelled.csv", "node 4 has no label");
  files.test = folder.write("outside.csv", "-1\n");
  refused(files, "outside.csv", "line 1: expected a node's id in [0, 5), got -1");
}
