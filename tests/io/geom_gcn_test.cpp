// SPDX-License-Identifier: MIT
#include "graphpatcher/io/geom_gcn.hpp"

#include <catch2/catch.hpp>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::npy;
using ids = std::vector<std::int32_t>;

namespace {

/// Four nodes on a path: lines in another order than ids, an edge named both ways, a loop.
struct geom_files {
  std::string nodes = "node_id\tfeature\tlabel\n2\t0,0,0\t1\n0\t0,1,0\t0\n3\t2.5,0,1\t1\n1\t0,0,1\t0\n";
  std::string edges = "node_id\tnode_id\n0\t1\n1\t0\n1\t2\n2\t2\n3\t2\n";
  std::string train = npy<std::uint8_t>({4}, {1, 0, 0, 0});
  std::string validation = npy<double>({4}, {0, 1, 0, 0});
  std::string test = npy<std::int64_t>({4}, {0, 0, 1, 1});

  auto load(text_options options = {}) const {
    const gp_test::temporary_folder folder;
    folder.write("out1_node_feature_label.txt", nodes);
    folder.write("out1_graph_edges.txt", edges);
    folder.write("split.npz", gp_test::npz({{"train_mask", train}, {"val_mask", validation}, {"test_mask", test}}));
    return load_geom_gcn<float, std::int32_t>(folder.path(), folder.path() / "split.npz", "path", options);
  }
};

void check_refused(const geom_files& files, const std::string& path, const std::string& message) {
  check_error<format_error>([&] { files.load(); }, path, message);
}

void check_nodes_refused(const std::string& lines, const std::string& message,
                         const std::string& header = "node_id\tfeature\tlabel\n") {
  check_refused({.nodes = header + lines}, "out1_node_feature_label.txt", message);
}

template <class Range>
auto copied(const Range& range) {
  return std::vector(range.begin(), range.end());
}

}  // namespace

TEST_CASE("geom_gcn: by hand, a value for each column") {
  const auto data = geom_files{}.load();
  CHECK(data.name == "path");
  CHECK(gp_test::neighbor_lists(data.graph) == std::vector<std::vector<int>>{{1}, {0, 2}, {1, 3}, {2}});
  CHECK(data.labels == ids{0, 0, 1, 1});
  CHECK(data.classes == 2);
  CHECK(data.features.cols() == 3);
  CHECK(copied(data.features.sparse().offsets()) == ids{0, 1, 2, 2, 4});
  CHECK(copied(data.features.sparse().columns()) == ids{1, 2, 0, 2});
  CHECK(copied(data.features.sparse().values()) == std::vector<float>{1, 1, 2.5f, 1});
  CHECK(data.split.train == ids{0});
  CHECK(data.split.validation == ids{1});
  CHECK(data.split.test == ids{2, 3});
}

TEST_CASE("geom_gcn: columns that are 1, in any order, some of them twice, none at all; CRLF and no last newline") {
  const geom_files actor{.nodes =
                             "node_id\tfeature(feature_amount:931)\tlabel\r\n0\t931,5,5,0\t0\r\n1\t7\t0\r\n"
                             "2\t\t1\r\n3\t1\t-1",
                         .test = npy<std::int64_t>({4}, {0, 0, 1, 0})};
  const auto data = actor.load();
  CHECK(data.features.cols() == 932);
  CHECK(copied(data.features.sparse().offsets()) == ids{0, 3, 4, 4, 5});
  CHECK(copied(data.features.sparse().columns()) == ids{0, 5, 931, 7, 1});
  CHECK(copied(data.features.sparse().values()) == std::vector<float>{1, 1, 1, 1, 1});
  CHECK(data.labels == ids{0, 0, 1, -1});
}

TEST_CASE("geom_gcn: several pieces, for any number of threads") {
  geom_files large;
  large.nodes = "node_id\tfeature\tlabel\n";
  const std::size_t count = 30000;
  std::vector<std::uint8_t> masks(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t id = i * 7919 % count;  // 7919 is a prime that doesn't divide it: each id once
    large.nodes += text(id, "\t", std::string(40, ' '), id % 3, ",0,", id, "\t", id % 5, "\n");
  }
  large.edges = "a\tb\n";
  masks[0] = 1;
  large.train = npy<std::uint8_t>({count}, masks);
  std::swap(masks[0], masks[1]);
  large.validation = npy<std::uint8_t>({count}, masks);
  std::swap(masks[1], masks[2]);
  large.test = npy<std::uint8_t>({count}, masks);
  for (const int threads : {1, 3}) {
    const auto data = large.load({.exec = {threads}});
    bool right = data.nodes() == count;
    for (std::size_t id = 1; id < count; ++id) {
      const auto row = data.features.sparse().row_values(id);
      right = right && data.labels[id] == static_cast<int>(id % 5) && row.back() == static_cast<float>(id) &&
              row.size() == (id % 3 == 0 ? 1 : 2);
    }
    CHECK(right);
  }
}

TEST_CASE("geom_gcn: lines that are no nodes, with their line") {
  check_nodes_refused("0\t0,1\t0\n1\t0\t0\n", "line 3: expected 2 features, as on the first line, got 1");
  check_nodes_refused("0\t0,1\t0\n1\t0,1,1\t0\n", "line 3: expected 2 features, as on the first line, got 3");
  check_nodes_refused("0\t0,1\t0\n1\t0,nan\t0\n", "line 3: expected a feature, a finite number, got 'nan'");
  check_nodes_refused("0\t0,1\t0\n1 0,1 0\n", "line 3: expected a node's id, its features and its class, with a tab");
  check_nodes_refused("0\t0,1\t0\n1\t0,1\n", "line 3: expected a node's id, its features and its class");
  check_nodes_refused("0\t0,1\t0\n1\t0,1\t\n", "line 3: expected a class, got nothing");
  check_nodes_refused("0\t0,1\t0\n\t0,1\t0\n", "line 3: expected a node's id, got nothing");
  check_nodes_refused("0\t0,1\t0\n1\t0,1\t0.5\n", "line 3: expected a class, an integer, got '0.5'");
  check_nodes_refused("0\t0,1\t0\n0\t0,1\t0\n",
                      "line 3: expected each id in [0, 2) once, one for each line, got 0 again");
  check_nodes_refused("0\t0,1\t0\n2\t0,1\t0\n", "line 3: expected each id in [0, 2) once, one for each line, got 2");
  check_nodes_refused("-1\t0,1\t0\n0\t0,1\t0\n", "line 2: expected each id in [0, 2) once, one for each line, got -1");
  check_nodes_refused("0\t0,1\t0\n1\t0,1\t2\n", "line 3: expected a class in [0, 2) or -1 for unknown, got 2");
  check_nodes_refused("0\t0,1\t-2\n1\t0,1\t0\n", "line 2: expected a class in [0, 2) or -1 for unknown, got -2");
  check_nodes_refused("", "expected a line for each node, got none");
  const std::string listed = "node_id\tfeature(feature_amount:9)\tlabel\n";
  check_nodes_refused("0\t1\t0\n1\t10\t0\n", "line 3: expected a feature's column in [0, 10), got 10", listed);
  check_nodes_refused("0\t-1\t0\n", "line 2: expected a feature's column in [0, 10), got -1", listed);
  check_nodes_refused("0\t1,\t0\n", "line 2: expected a feature's column, got the end of the line", listed);
  check_nodes_refused("0\t1\t0\n", "line 1: expected a number of at most", "a\tf(feature_amount:4294967295)\tb\n");
  check_nodes_refused("0\t1\t0\n", "line 1: expected a number of at most", "a\tf(feature_amount:x)\tb\n");
}

TEST_CASE("geom_gcn: edges and splits that don't fit the nodes") {
  check_refused({.edges = "a\tb\n0\t1\n1\t4\n"}, "out1_graph_edges.txt",
                "line 3: expected a target's id in [0, 4), got 4");
  check_refused({.edges = "a\tb\n0\t1\n1\n"}, "out1_graph_edges.txt", "line 3: expected a target's id");
  check_refused({.train = npy<std::uint8_t>({3}, {1, 0, 0})}, "split.npz",
                "'train_mask': expected 4 values, one a node");
  check_refused({.validation = npy<double>({4}, {1, 1, 0, 0})}, "split.npz", "node 0 is named again");
  check_refused({.validation = npy<double>({4}, {0, 0.5, 0, 0})}, "split.npz", "expected 0 or 1 for node 1, got 0.5");
}
