// SPDX-License-Identifier: MIT
#include "graphpatcher/io/gnn_benchmark.hpp"

#include <catch2/catch.hpp>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::npy;
using i32 = std::int32_t;
using i64 = std::int64_t;

namespace {

/// Ten nodes on a path, named in one direction, with a loop at 0, the edge 1-2 named again the other way round and a
/// stored zero from 0 to 9, which is no edge; two features, two classes.
struct benchmark_file {
  std::vector<std::pair<std::string, std::string>> arrays{
      {"adj_shape", npy<i64>({2}, {10, 10})},
      {"adj_indptr", npy<i32>({11}, {0, 3, 4, 6, 7, 8, 9, 10, 11, 12, 12})},
      {"adj_indices", npy<i32>({12}, {0, 1, 9, 2, 1, 3, 4, 5, 6, 7, 8, 9})},
      {"adj_data", npy<float>({12}, {1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1})},
      {"attr_shape", npy<i64>({2}, {10, 2})},
      {"attr_indptr", npy<i32>({11}, {0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2})},
      {"attr_indices", npy<i32>({2}, {1, 0})},
      {"attr_data", npy<float>({2}, {3, 4})},
      {"labels", npy<i64>({10}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1})}};

  std::string& of(const std::string& name) {
    return std::find_if(arrays.begin(), arrays.end(), [&](const auto& each) { return each.first == name; })->second;
  }
  auto load() const {
    const gp_test::temporary_folder folder;
    folder.write("g.npz", gp_test::npz(arrays));
    return load_gnn_benchmark<float, i32>(folder.path() / "g.npz", "tiny", {.train = 0.2, .validation = 0.2});
  }
};

void check_refused(const std::string& array, const std::string& content, const std::string& file,
                   const std::string& message) {
  benchmark_file changed;
  changed.of(array) = content;
  check_error<format_error>([&] { changed.load(); }, file, message);
}

}  // namespace

TEST_CASE("gnn_benchmark: by hand") {
  const auto data = benchmark_file{}.load();
  CHECK(data.name == "tiny");
  CHECK(gp_test::neighbor_lists(data.graph) ==
        std::vector<std::vector<int>>{{1}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 6}, {5, 7}, {6, 8}, {7, 9}, {8}});
  CHECK(data.classes == 2);
  CHECK(data.labels == std::vector<i32>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  CHECK(data.features.sparse().nonzeros() == 2);
  CHECK(data.features.sparse().row_columns(0)[0] == 1);
  CHECK(data.features.sparse().row_values(1)[0] == 4);
  CHECK(data.split.train.size() == 2);
  CHECK(data.split.validation.size() == 2);
  CHECK(data.split.test.size() == 6);
}

TEST_CASE("gnn_benchmark: dense features in place of sparse ones") {
  benchmark_file dense;
  std::erase_if(dense.arrays, [](const auto& each) { return each.first.starts_with("attr_"); });
  std::vector<double> values(20, 0.0);
  values[1] = 3;
  values[2] = 4;
  dense.arrays.emplace_back("attr_matrix", npy<double>({10, 2}, values));
  const auto data = dense.load();
  CHECK(data.features.sparse().nonzeros() == 2);
  CHECK(data.features.sparse().row_columns(0)[0] == 1);
  CHECK(data.features.sparse().row_values(1)[0] == 4);
}

TEST_CASE("gnn_benchmark: files that don't fit together") {
  check_refused("adj_shape", npy<i64>({2}, {10, 11}), "adj_shape.npy", "as many rows as columns");
  check_refused("adj_indices", npy<i32>({12}, {0, 1, 9, 2, 1, 3, 4, 5, 6, 7, 8, 10}), "adj_indices.npy", "got 10");
  check_refused("adj_data", npy<float>({1}, {1}), "adj_indices.npy", "expected a column for each of 1 values");
  check_refused("attr_shape", npy<i64>({2}, {10, 1}), "attr_indices.npy", "expected columns in [0, 1)");
  check_refused("labels", npy<i64>({9}, {0, 1, 0, 1, 0, 1, 0, 1, 0}), "labels.npy", "of 10 nodes, got 9");
  check_refused("labels", npy<float>({10}, std::vector<float>(10, 0)), "labels.npy", "expected integers");
  benchmark_file none;
  none.arrays.clear();
  check_error<format_error>([&] { none.load(); }, "g.npz", "expected an array called 'adj_shape'");
  benchmark_file fewer;
  fewer.of("attr_shape") = npy<i64>({2}, {9, 2});
  fewer.of("attr_indptr") = npy<i32>({10}, {0, 1, 2, 2, 2, 2, 2, 2, 2, 2});
  check_error<format_error>([&] { fewer.load(); }, "attr_shape.npy", "expected features of 10 nodes, got 9");
}
