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

TEST_CASE("graph_files: what was read, as a line") {
  const path_folder folder;
  auto files = folder.files();
  files.edges = folder.write("loops.csv", "0,1\n1,0\n2,1\n1,2\n0,0\n3,3\n1,2\n");
  dataset_summary found;
  load_graph_files(files, &found);
  CHECK(found.line() ==
        "5 nodes, 2 isolated; 2 edges, 3 repeated, 2 loops left out; 2 dense columns; "
        "2 classes, 1 nodes without one; split 1/1/2");
  files.build.direction = edge_direction::directed;
  load_graph_files(files, &found);
  CHECK(found.edges == 4);
  CHECK(found.repeated == 1);
  CHECK(found.loops == 2);
  CHECK(found.isolated == 2);
  files.build = {.duplicates = duplicate_edges::keep, .loops = self_loops::keep};
  load_graph_files(files, &found);
  CHECK(found.edges == 7);
  CHECK(found.repeated + found.loops == 0);
  files.build = {.loops = self_loops::keep};
  load_graph_files(files, &found);
  CHECK(found.edges == 4);
  CHECK(found.repeated == 3);
  // A symmetric MatrixMarket file has a line an edge, which is not said twice.
  files = folder.files("edges.mtx", "x.npy", "y.npy");
  files.train = files.validation = files.test = "";
  files.split = {.train = 0.25, .validation = 0.25};
  load_graph_files(files, &found);
  CHECK(found.line() == "5 nodes; 4 edges; 2 dense columns; 2 classes, 1 nodes without one; split 1/1/2 random");
  files.edges = folder.write(
      "again.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n5 5 5\n2 1 7\n3 2 1\n2 1 1\n4 4 1\n3 2 9\n");
  load_graph_files(files, &found);
  CHECK(found.edges == 2);
  CHECK(found.repeated == 2);
  CHECK(found.loops == 1);
}

TEST_CASE("graph_files: ids among the features are refused, left out or taken, as one says") {
  const path_folder folder;
  const std::string plain = "1,0\n0,0.1\n0,0\n2,2\n0,1\n";
  const auto numbered = [&](std::int64_t first, const std::string& header) {
    std::string lines = header;
    std::size_t begin = 0;
    for (std::int64_t id = first; id < first + 5; ++id) {
      const std::size_t end = plain.find('\n', begin) + 1;
      lines += std::to_string(id) + "," + plain.substr(begin, end - begin);
      begin = end;
    }
    return lines;
  };
  const auto expected = load_graph_files(folder.files()).features;
  for (const std::int64_t first : {0, 1}) {
    for (const char* header : {"", "id,a,b\n", "\"Node ID\",a,b\n", ",0,1\n", "number,a,b\n"}) {
      INFO(first << header);
      auto files = folder.files();
      files.edges = folder.write("edges_from.csv", first == 0 ? "0,1\n1,2\n" : "1,2\n2,3\n");
      files.train = files.validation = files.test = "";
      files.split = {.train = 0.25, .validation = 0.25};
      files.first_id = first;
      files.features = folder.write("numbered.csv", numbered(first, header));
      CHECK_THROWS_AS(load_graph_files(files), format_error);
      CHECK_THROWS_WITH(load_graph_files(files),
                        Catch::Contains("numbered.csv") && Catch::Contains("graph_files::ids"));
      files.ids = text_ids::present;
      CHECK(load_graph_files(files).features == expected);
      files.ids = text_ids::absent;
      CHECK(load_graph_files(files).features.cols() == 3);
      files.ids = text_ids::present;
      files.first_id = 1 - first;
      files.edges = folder.write("middle.csv", "1,2\n");
      CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains("expected the ids of nodes in their order"));
    }
  }
  auto files = folder.files();
  // By name alone, whatever the order; by the numbers alone in npy too; sparse rows; classes with ids.
  files.features = folder.write("mixed.csv", "node_id,a\n3,1\n0,1\n1,0\n2,0\n4,1\n");
  CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains("looks like the ids of the nodes"));
  files.features = folder.write("counts.npy", npy<double>({5, 2}, {0, 7, 1, 0, 2, 7, 3, 7, 4, 0}));
  CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains("counts.npy") && Catch::Contains("looks like the ids"));
  files.ids = text_ids::present;
  CHECK(load_graph_files(files).features == feature_table<float, std::int32_t>(matrix<float>{{7}, {0}, {7}, {7}, {0}}));
  files.features =
      folder.write("sparse.csv", "0,0,0,0,0,0,0\n1,0,0,0,0,5,0\n2,0,0,0,0,0,0\n3,6,0,0,0,0,0\n4,0,0,0,0,0,0\n");
  const auto sparse = load_graph_files(files).features;
  REQUIRE_FALSE(sparse.is_dense());
  CHECK(sparse.cols() == 6);
  CHECK(sparse.sparse().nonzeros() == 2);
  CHECK(sparse.sparse().row_columns(1)[0] == 4);
  CHECK(sparse.sparse().row_values(3)[0] == 6);
  files.labels = folder.write("with_ids.csv", "id,class\n0,0\n1,1\n2,0\n3,1\n4,-1\n");
  CHECK(load_graph_files(files).labels == ids{0, 1, 0, 1, -1});
  files.labels = folder.write("shuffled.csv", "0,0\n2,1\n1,0\n3,1\n4,-1\n");
  CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains("got 2 where that of node 1 should be; sort the lines"));
  files.labels = folder.write("some.csv", "0\n1,1\n0\n1\n-1\n");
  CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains("expected an id on every line or on none"));
  files.ids = text_ids::automatic;
  files.features = folder.files().features;
  CHECK_THROWS_WITH(load_graph_files(files),
                    Catch::Contains("line 2: expected one number on a line, got more: '1'; if the"));
  files.features = folder.write("single.csv", "0\n1\n2\n3\n4\n");  // nothing would be left
  files.labels = folder.files().labels;
  CHECK(load_graph_files(files).features.cols() == 1);
  files.ids = text_ids::present;
  CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains("expected an id and features in each row, got 1 column"));
}

TEST_CASE("graph_files: lines that say nothing, and nodes of which none has a class") {
  const path_folder folder;
  auto files = folder.files();
  const auto refused = [&](const std::string& message) {
    CHECK_THROWS_AS(load_graph_files(files), format_error);
    CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains(message));
  };
  files.labels = folder.write("gap.csv", "0\n1\n\n1\n-1\n");
  refused("gap.csv: at byte 4: line 3: expected a class (-1 = unknown), got an empty line");
  files.labels = folder.write("gap.csv", "class\n0\n1\n0\n \t\r\n1\n0\n");
  refused("line 5: expected a class (-1 = unknown), got an empty line");
  files.labels = folder.write("end.csv", "0\n1\n0\n1\n-1\n\n\r\n");
  CHECK(load_graph_files(files).nodes() == 5);
  files.features = folder.write("gap_x.csv", "1,0\n\n0,0\n2,2\n0,1\n");
  refused("gap_x.csv: at byte 4: line 2: expected a row of features, got an empty line");
  files = folder.files();
  files.labels = folder.write("unknown.csv", "-1\n-1\n-1\n-1\n-1\n");
  files.train = files.validation = files.test = "";
  refused("unknown.csv: at byte 0: expected classes, got none: all 5 nodes are -1 (unknown)");
}

TEST_CASE("graph_files: a byte order mark is no header") {
  const path_folder folder;
  const std::string mark = "\xEF\xBB\xBF";
  const auto expected = load_graph_files(folder.files());
  for (const bool packed : {false, true}) {
    const auto write = [&](const std::string& name, const std::string& content) {
      return packed ? folder.write(name + ".gz", gzipped(mark + content)) : folder.write(name, mark + content);
    };
    auto files = folder.files();
    files.edges = write("marked_edges.csv", "0,1\n1,2\n2,3\n3,4\n");
    files.features = write("marked_x.csv", "1,0\n0,0.1\n0,0\n2,2\n0,1\n");
    files.labels = write("marked_y.csv", "0\n1\n0\n1\n-1\n");
    files.train = write("marked_train.csv", "0\n");
    const auto data = load_graph_files(files);
    CHECK(gp_test::neighbor_lists(data.graph) == gp_test::neighbor_lists(expected.graph));
    CHECK(data.features == expected.features);
    CHECK(data.labels == expected.labels);
    CHECK(data.split.train == expected.split.train);
    files.edges = write("far.csv", "0,9999\n");
    CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains("expected a target's id in [0, 5), got 9999"));
    CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains("at byte 3: line 1"));
    files.edges = write("marked.mtx",
                        "%%MatrixMarket matrix coordinate real skew-symmetric\n5 5 4\n2 1 .5\n3 2 -1\n4 3 1\n5 4 1\n");
    CHECK(gp_test::neighbor_lists(load_graph_files(files).graph) == gp_test::neighbor_lists(expected.graph));
  }
  auto files = folder.files();
  for (const auto& wide : {gp_test::raw("\xFF\xFE"
                                        "0\0,\0001\0\n\0"),
                           gp_test::raw("\xFE\xFF\0000\0,\0001\0\n")}) {
    files.edges = folder.write("wide.csv", wide);
    CHECK_THROWS_WITH(load_graph_files(files), Catch::Contains("expected text in UTF-8, got UTF-16"));
  }
}
