// SPDX-License-Identifier: MIT
#include "graphpatcher/io/heterophilous.hpp"

#include <catch2/catch.hpp>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::npy;
using i32 = std::int32_t;
using i64 = std::int64_t;
using ids = std::vector<i32>;

namespace {

/// Four nodes in a square; two splits. Masks are bytes in the file, booleans in NumPy's.
struct square_file {
  std::string features = npy<float>({4, 2}, {1, 0, 0, 2, 0, 0, 3, 4});
  std::string labels = npy<i64>({4}, {0, 1, 0, 1});
  std::string edges = npy<i64>({5, 2}, {0, 1, 1, 2, 2, 3, 3, 0, 1, 0});
  std::string train = npy<std::uint8_t>({2, 4}, {1, 0, 0, 0, 0, 1, 0, 0});
  std::string validation = npy<std::uint8_t>({2, 4}, {0, 1, 0, 0, 1, 0, 0, 0});
  std::string test = npy<std::uint8_t>({2, 4}, {0, 0, 1, 1, 0, 0, 1, 1});

  auto load(std::size_t split = 0) const {
    const gp_test::temporary_folder folder;
    folder.write("square.npz", gp_test::npz({{"node_features", features},
                                             {"node_labels", labels},
                                             {"edges", edges},
                                             {"train_masks", train},
                                             {"val_masks", validation},
                                             {"test_masks", test}}));
    return load_heterophilous<float, i32>(folder.path() / "square.npz", "square", split);
  }
};

void check_refused(const square_file& file, const std::string& path, const std::string& message) {
  check_error<format_error>([&] { file.load(); }, path, message);
}

}  // namespace

TEST_CASE("heterophilous: by hand, and its splits") {
  const auto data = square_file{}.load();
  CHECK(data.name == "square");
  CHECK(gp_test::neighbor_lists(data.graph) == std::vector<std::vector<int>>{{1, 3}, {0, 2}, {1, 3}, {0, 2}});
  CHECK(data.labels == ids{0, 1, 0, 1});
  CHECK(data.classes == 2);
  CHECK(data.features.is_dense());
  CHECK(data.features == feature_table<float, i32>(matrix<float>{{1, 0}, {0, 2}, {0, 0}, {3, 4}}));
  CHECK(data.split.train == ids{0});
  CHECK(data.split.validation == ids{1});
  CHECK(data.split.test == ids{2, 3});
  CHECK(square_file{}.load(1).split.train == ids{1});
  CHECK_THROWS_WITH(square_file{}.load(2), Catch::Contains("expected a split_index in [0, 2), got 2"));
}

TEST_CASE("heterophilous: files that don't fit together") {
  check_refused({.edges = npy<i64>({5, 2}, {0, 1, 1, 2, 2, 4, 3, 0, 1, 0})}, "edges.npy",
                "expected ids in [0, 4) in row 2, got 4");
  check_refused({.edges = npy<i64>({1, 2}, {-1, 1})}, "edges.npy", "in row 0, got -1");
  check_refused({.edges = npy<i64>({2, 3}, {0, 1, 1, 2, 2, 3})}, "edges.npy", "expected two columns");
  check_refused({.edges = npy<i64>({2}, {0, 1})}, "edges.npy", "expected 2 axes, got 1");
  check_refused({.edges = npy<double>({1, 2}, {0, 1})}, "edges.npy", "expected integers");
  check_refused({.labels = npy<i64>({3}, {0, 1, 0})}, "node_labels.npy", "of 4 nodes, got 3");
  check_refused({.features = npy<float>({0, 2}, {})}, "node_features.npy", "expected at least one row");
  check_refused({.features = npy<float>({4, 1}, {1, 2, 3, INFINITY})}, "node_features.npy",
                "expected finite numbers, got inf in row 3, column 0");
  check_refused({.validation = npy<std::uint8_t>({2, 3}, {0, 1, 0, 1, 0, 0})}, "square.npz",
                "'val_masks': expected 4 values, one a node, got 3");
  check_refused({.validation = npy<std::uint8_t>({2, 4}, {1, 1, 0, 0, 1, 0, 0, 0})}, "square.npz",
                "'val_masks': expected nodes with a label that no other part of the split has; node 0 is named again");
  check_refused({.labels = npy<i64>({4}, {0, 1, -1, 1})}, "square.npz", "'test_masks'");
}
