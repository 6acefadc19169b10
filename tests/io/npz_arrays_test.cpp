// SPDX-License-Identifier: MIT
#include "io/npz_arrays.hpp"

#include <catch2/catch.hpp>

#include <limits>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::npy;
using i32 = std::int32_t;
using i64 = std::int64_t;

namespace {

/// [[0, 1.5, 0], [0, 0, 0], [3, 0, 2]], the last row out of order as SciPy allows.
struct csr_file {
  std::vector<i64> shape{3, 3};
  std::vector<i32> offsets{0, 1, 1, 3};
  std::vector<i32> columns{1, 2, 0};
  std::vector<double> values{1.5, 2, 3};

  sparse_matrix<float, i32> read() const {
    const gp_test::temporary_folder folder;
    folder.write("m.npz", gp_test::npz({{"m_shape", npy<i64>({shape.size()}, shape)},
                                        {"m_indptr", npy<i32>({offsets.size()}, offsets)},
                                        {"m_indices", npy<i32>({columns.size()}, columns)},
                                        {"m_data", npy<double>({values.size()}, values)}}));
    return npz_dataset_file(folder.path() / "m.npz").csr<float, i32>("m");
  }
};

void check_refused(const csr_file& file, const std::string& array, const std::string& message) {
  check_error<format_error>([&] { file.read(); }, "m.npz/" + array + ".npy", message);
}

}  // namespace

TEST_CASE("npz_arrays: a CSR matrix, its rows put in order, doubles rounded to float") {
  csr_file file;
  file.values[0] = 0.1;
  const auto m = file.read();
  CHECK(m.rows() == 3);
  CHECK(m.cols() == 3);
  CHECK(std::vector(m.offsets().begin(), m.offsets().end()) == file.offsets);
  CHECK(std::vector(m.columns().begin(), m.columns().end()) == std::vector<i32>{1, 0, 2});
  CHECK(std::vector(m.values().begin(), m.values().end()) == std::vector<float>{0.1f, 3, 2});
}

TEST_CASE("npz_arrays: arrays of a CSR matrix that don't fit together") {
  check_refused({.shape = {3}}, "m_shape", "expected a number of rows and one of columns");
  check_refused({.shape = {3, -1}}, "m_shape", "expected a number of rows and one of columns");
  check_refused({.shape = {3, 1ll << 31}}, "m_shape", "expected columns that an index of 32 bits can count");
  check_refused({.shape = {4, 3}}, "m_indptr", "expected 4 + 1 positions that rise from 0 to 3");
  check_refused({.shape = {1ll << 62, 3}}, "m_indptr", "positions that rise from 0 to 3");
  check_refused({.offsets = {1, 1, 1, 3}}, "m_indptr", "rise from 0");
  check_refused({.offsets = {0, 2, 1, 3}}, "m_indptr", "rise from 0");
  check_refused({.offsets = {0, -1, 1, 3}}, "m_indptr", "rise from 0");
  check_refused({.offsets = {0, 1, 1, 4}}, "m_indptr", "rise from 0 to 3");
  check_refused({.offsets = {}}, "m_indptr", "expected 3 + 1 positions");
  check_refused({.columns = {1, 2}}, "m_indices", "expected a column for each of 3 values, got 2");
  check_refused({.columns = {1, 2, 3}}, "m_indices", "expected columns in [0, 3), got 3 at place 2");
  check_refused({.columns = {-1, 2, 0}}, "m_indices", "expected columns in [0, 3), got -1 at place 0");
  check_refused({.columns = {1, 2, 2}}, "m_indices", "expected each column once, got 2 again in row 2");
  check_refused({.values = {1, std::nan(""), 3}}, "m_data", "expected finite numbers, got nan at place 1");
  check_refused({.values = {1, 1e300, 3}}, "m_data", "would change");
  check_refused({.values = {1, std::numeric_limits<double>::infinity(), 3}}, "m_data", "got inf at place 1");
}

TEST_CASE("npz_arrays: dense matrices, labels, and what is missing") {
  const gp_test::temporary_folder folder;
  folder.write("d.npz", gp_test::npz({{"x", npy<double>({2, 3}, {0, 0.1, 0, 2, 0, 3})},
                                      {"few", npy<double>({2, 5}, {0, 0.1, 0, 0, 0, 2, 0, 3, 0, 0})},
                                      {"nan", npy<double>({2, 1}, {0, std::nan("")})},
                                      {"no_columns", npy<double>({1000000000000, 0}, {})},
                                      {"y", npy<i64>({3}, {1, -1, 0})},
                                      {"y_high", npy<i64>({3}, {1, 0, 3})},
                                      {"y_low", npy<i64>({3}, {1, -2, 0})},
                                      {"y_wide", npy<i64>({3}, {1, 1ll << 40, 0})}}));
  const npz_dataset_file file(folder.path() / "d.npz");
  const auto half = file.features<float, i32>("x");  // half of it isn't 0
  CHECK(half.is_dense());
  CHECK(half == feature_table<float, i32>(matrix<float>{{0, 0.1f, 0}, {2, 0, 3}}));
  const auto few = file.features<float, i32>("few");
  REQUIRE_FALSE(few.is_dense());
  const auto& x = few.sparse();
  CHECK(x.rows() == 2);
  CHECK(std::vector(x.offsets().begin(), x.offsets().end()) == std::vector<i32>{0, 1, 3});
  CHECK(std::vector(x.columns().begin(), x.columns().end()) == std::vector<i32>{1, 0, 2});
  CHECK(std::vector(x.values().begin(), x.values().end()) == std::vector<float>{0.1f, 2, 3});
  CHECK(file.labels<i32>("y", 3) == std::vector<i32>{1, -1, 0});
  const auto refused = [&](auto&& read, const std::string& name, const std::string& message) {
    check_error<format_error>(read, name, message);
  };
  refused([&] { file.features<float, i32>("nan"); }, "nan.npy", "expected finite numbers, got nan in row 1, column 0");
  refused([&] { file.features<float, i32>("no_columns"); }, "no_columns.npy", "expected at least one column");
  refused([&] { file.features<float, i32>("y"); }, "y.npy", "expected two axes, rows and columns, got 1");
  refused([&] { file.features<float, i32>("z"); }, "d.npz",
          "expected an array called 'z', got only x, few, nan, no_columns");
  refused([&] { file.labels<i32>("y", 4); }, "y.npy", "expected the classes of 4 nodes, got 3");
  refused([&] { file.labels<i32>("y_high", 3); }, "y_high.npy", "expected classes in [0, 3) or -1 for unknown, got 3");
  refused([&] { file.labels<i32>("y_low", 3); }, "y_low.npy", "got -2 for node 1");
  refused([&] { file.labels<i32>("y_wide", 3); }, "y_wide.npy", "1099511627776 would change");
  refused([&] { file.labels<i32>("x", 3); }, "x.npy", "expected integers, got floating-point numbers");
}
