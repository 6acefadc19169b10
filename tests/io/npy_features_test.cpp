// SPDX-License-Identifier: MIT
#include "io/npy_features.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/io/load_dataset.hpp"
#include "io/file_writers.hpp"
#include "support/allocation_watch.hpp"

using namespace graphpatcher;
using gp_test::npy;

namespace {

/// rows x cols numbers, every `step`-th of them not 0, some thousands of blocks.
std::vector<float> numbers(std::size_t rows, std::size_t cols, std::size_t step) {
  std::vector<float> values(rows * cols, 0);
  for (std::size_t i = 0; i < values.size(); i += step) {
    values[i] = static_cast<float>(i % 13) - 6.5f;
  }
  return values;
}

/// The same array, columns first.
template <class N>
std::string fortran_npy(std::size_t rows, std::size_t cols, const std::vector<N>& values) {
  std::vector<N> by_column(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    by_column[i % cols * rows + i / cols] = values[i];
  }
  std::string content = npy<N>({rows, cols}, by_column);
  const std::size_t at = content.find("False");
  return content.replace(at, 5, "True ");
}

template <class T, class I>
bool holds(const feature_table<T, I>& table, std::size_t rows, std::size_t cols, const std::vector<float>& values) {
  std::vector<T> row(cols);
  for (std::size_t r = 0; r < rows; ++r) {
    table.read_row(r, row);
    for (std::size_t c = 0; c < cols; ++c) {
      if (row[c] != static_cast<T>(values[r * cols + c])) {
        return false;
      }
    }
  }
  return table.rows() == rows && table.cols() == cols;
}

}  // namespace

TEST_CASE("npy_features: dense where a third of the numbers isn't 0, in either order of the file") {
  const gp_test::temporary_folder folder;
  for (const std::size_t step : {1, 2, 3, 4, 50}) {
    const auto values = numbers(300, 101, step);
    folder.write("c.npy", npy<float>({300, 101}, values));
    folder.write("f.npy", fortran_npy<float>(300, 101, values));
    for (const char* name : {"c.npy", "f.npy"}) {
      INFO(name << ", every " << step << " th");
      const auto x = read_npy_features<double, std::int64_t>(folder.path() / name);
      CHECK(x.is_dense() == (step <= 3));
      CHECK(holds(x, 300, 101, values));
      CHECK(x.stored() == (step <= 3 ? values.size() : (values.size() + step - 1) / step));
    }
  }
}

TEST_CASE("npy_features: a dense table has the type of its file, or T for what no feature is stored as") {
  const gp_test::temporary_folder folder;
  const std::vector<float> values{1, 2, 0.5f, 0, -4, 8};
  const auto type_of = [&]<class T>(const std::string& content, T) {
    folder.write("x.npy", content);
    const auto x = read_npy_features<T, std::int32_t>(folder.path() / "x.npy");
    CHECK(holds(x, 3, 2, values));
    return std::string(x.dense().type());
  };
  const std::vector<double> wide(values.begin(), values.end());
  CHECK(type_of(npy<float>({3, 2}, values), 0.0f) == "float32");
  CHECK(type_of(npy<float>({3, 2}, values), 0.0) == "float32");
  CHECK(type_of(npy<double>({3, 2}, wide), 0.0) == "float64");
  CHECK(type_of(npy<double>({3, 2}, wide), 0.0f) == "float32");  // rounded once
  std::string half = npy<std::uint8_t>({3, 2}, {0, 0, 0, 0, 0, 0});
  half.replace(half.find("|u1"), 3, "<f2");
  half.resize(half.size() - 6);
  for (const float value : values) {
    half += gp_test::little(to_float16(value).bits);
  }
  CHECK(type_of(half, 0.0f) == "float16");
  CHECK(type_of(half, 0.0) == "float16");
  folder.write("i.npy", npy<std::int64_t>({2, 2}, {1, 0, 2, 3}));
  CHECK(read_npy_features<float, std::int32_t>(folder.path() / "i.npy").dense().type() == "float32");
}

TEST_CASE("npy_features: the dense matrix is never in memory where most numbers are 0") {
  const std::size_t rows = 1000;
  const std::size_t cols = 1000;
  std::vector<double> values(rows * cols, 0);
  values[12345] = 1;
  const gp_test::temporary_folder folder;
  folder.write("x.npy", npy<double>({rows, cols}, values));
  folder.write("f.npy", fortran_npy<double>(rows, cols, values));
  for (const char* name : {"x.npy", "f.npy"}) {
    gp_test::largest_request = 0;
    CHECK(read_npy_features<float, std::int32_t>(folder.path() / name).sparse().nonzeros() == 1);
    CHECK(gp_test::largest_request < values.size() * sizeof(float) / 10);
  }
}

TEST_CASE("npy_features: no rows is a matrix, no columns is refused") {
  const gp_test::temporary_folder folder;
  folder.write("none.npy", npy<float>({0, 5}, {}));
  CHECK(read_npy_features<float, std::int32_t>(folder.path() / "none.npy").rows() == 0);
  folder.write("thin.npy", npy<float>({4194305ull * 4194305, 0}, {}));
  gp_test::check_error<format_error>([&] { read_npy_features<float, std::int32_t>(folder.path() / "thin.npy"); },
                                     "thin.npy", "expected at least one column");
  folder.write("nan.npy", fortran_npy<float>(2, 2, {1, std::nanf(""), 2, 3}));
  gp_test::check_error<format_error>([&] { read_npy_features<float, std::int32_t>(folder.path() / "nan.npy"); },
                                     "nan.npy", "got nan in row 0, column 1");
}

TEST_CASE("npy_features: an array without numbers is refused with the file's name, whatever its shape says") {
  const gp_test::temporary_folder folder;
  const auto refused = [&](const char* shape, const std::string& message) {
    std::string header = text("{'descr': '<f4', 'fortran_order': False, 'shape': (", shape, "), }\n");
    folder.write("none.npy", gp_test::raw("\x93NUMPY\x01\x00") +
                                 gp_test::little(static_cast<std::uint16_t>(header.size())) + header);
    gp_test::check_error<format_error>([&] { read_npy_features<float, std::int32_t>(folder.path() / "none.npy"); },
                                       "none.npy", message);
  };
  refused("0, 1000000000000000000", "columns that an index of 32 bits can count, got 1000000000000000000");
  refused("1000000000000000000, 0", "expected at least one column");
}

TEST_CASE("npy_features: the real Chameleon without its copies, which is written columns first", "[data]") {
  const std::filesystem::path root = std::filesystem::path(GP_SHARED_DIR) / "data";
  if (!std::filesystem::exists(root / "heterophilous-graphs/chameleon_filtered.npz")) {
    WARN("skipped: no data");
    return;
  }
  const auto data = load_dataset("chameleon-filtered", {.root = root});
  CHECK(data.nodes() == 890);
  CHECK(data.graph.entries() == 2 * 8854);
  CHECK(data.features.cols() == 2325);
  CHECK_FALSE(data.features.is_dense());  // words that are there or not
  CHECK(data.classes == 5);
  CHECK(data.split.train.size() + data.split.validation.size() + data.split.test.size() == 890);
}
