// SPDX-License-Identifier: MIT
#include "io/npy_sparse.hpp"

#include <catch2/catch.hpp>

#include "io/allocation_watch.hpp"
#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::npy;

TEST_CASE("npy_sparse: the same as the dense matrix, over many blocks") {
  const std::size_t rows = 300;
  const std::size_t cols = 101;
  std::vector<float> values(rows * cols, 0);
  for (std::size_t i = 0; i < values.size(); i += 1 + i % 7) {
    values[i] = static_cast<float>(i % 13) - 6;
  }
  const gp_test::temporary_folder folder;
  folder.write("x.npy", npy<float>({rows, cols}, values));
  const auto sparse = read_npy_sparse<double, std::int64_t>(folder.path() / "x.npy");
  std::vector<float> dense(values.size(), 0);
  std::size_t zeros = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < sparse.row_columns(r).size(); ++i) {
      dense[r * cols + static_cast<std::size_t>(sparse.row_columns(r)[i])] =
          static_cast<float>(sparse.row_values(r)[i]);
      zeros += sparse.row_values(r)[i] == 0;
    }
  }
  CHECK(dense == values);
  CHECK(zeros == 0);
}

TEST_CASE("npy_sparse: the dense matrix is never in memory") {
  const std::size_t rows = 1000;
  const std::size_t cols = 1000;
  std::vector<double> values(rows * cols, 0);
  values[12345] = 1;
  const gp_test::temporary_folder folder;
  folder.write("x.npy", npy<double>({rows, cols}, values));
  gp_test::largest_request = 0;
  CHECK(read_npy_sparse<float, std::int32_t>(folder.path() / "x.npy").nonzeros() == 1);
  CHECK(gp_test::largest_request < values.size() * sizeof(float) / 10);
}

TEST_CASE("npy_sparse: no rows is a matrix, no columns is refused") {
  const gp_test::temporary_folder folder;
  folder.write("none.npy", npy<float>({0, 5}, {}));
  CHECK(read_npy_sparse<float, std::int32_t>(folder.path() / "none.npy").rows() == 0);
  folder.write("thin.npy", npy<float>({4194305ull * 4194305, 0}, {}));
  gp_test::check_error<format_error>([&] { read_npy_sparse<float, std::int32_t>(folder.path() / "thin.npy"); },
                                     "thin.npy", "expected at least one column");
}
