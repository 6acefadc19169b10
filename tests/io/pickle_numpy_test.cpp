// SPDX-License-Identifier: MIT
#include "io/pickle_numpy.hpp"

#include <catch2/catch.hpp>

#include <limits>

#include "io/pickle.hpp"
#include "io/pickle_writer.hpp"

using namespace graphpatcher;
using gp_test::bytes_of;
using gp_test::pickle_writer;
using gp_test::raw;

namespace {

pickle_document decode(std::string_view bytes) {
  return decode_pickle("test.pkl", bytes_of(bytes));
}

template <class Read>
void check_failure(const std::string& bytes, const std::string& message, Read&& read) {
  const auto file = decode(bytes);
  try {
    read(file);
    FAIL("read without an error, expected: " << message);
  } catch (const format_error& failure) {
    CHECK(failure.path() == "test.pkl");
    CHECK(failure.offset() < bytes.size());
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

void check_matrix_failure(const std::string& bytes, const std::string& message) {
  check_failure(bytes, message, [](const auto& file) { csr_in<double, std::int32_t>(file); });
}

void check_array_failure(const std::string& bytes, const std::string& message) {
  check_failure(bytes, message, [](const auto& file) { array_in<std::int32_t>(file, file.root(), 1); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("pickle arrays: values, shape and offsets") {
  const auto bytes = pickle_writer{}.array<std::int32_t>({2, 3}, {1, -2, 3, 4, 5, 600000}).stop();
  const auto file = decode(bytes);
  const auto array = array_in<std::int32_t>(file, file.root(), 2);
  CHECK(array.shape == std::vector<std::size_t>{2, 3});
  REQUIRE(array.size == 6);
  CHECK(array[1] == -2);
  CHECK(array[5] == 600000);
  CHECK(bytes.substr(array.offset_of(5), 4) == gp_test::little(std::int32_t{600000}));

  const auto none = decode(pickle_writer{}.array<std::int32_t>({0}, {}).stop());
  CHECK(array_in<std::int32_t>(none, none.root(), 1).size == 0);
}

TEST_CASE("pickle arrays: what is not a plain little-endian array is refused") {
  const auto good = pickle_writer{}.array<std::int32_t>({2}, {7, 8}).stop();
  check_array_failure(pickle_writer{}.array<std::int32_t>({1, 2}, {7, 8}).stop(),
                      "expected an array with 1 axes, got 2");
  check_array_failure(pickle_writer{}.array<std::int32_t>({3}, {7, 8}).stop(), "the bytes of 3 elements, got 8 bytes");
  check_array_failure(pickle_writer{}.array<std::int32_t>({2000000000}, {7, 8}).stop(), "the bytes of 2000000000");
  check_array_failure(pickle_writer{}.array<float>({2}, {7, 8}).stop(), "expected an array of dtype 'i4'");
  check_array_failure(replaced(good, "i4", "i8"), "expected an array of dtype 'i4'");
  check_array_failure(replaced(good, "i4", "O8"), "expected an array of dtype 'i4'");
  check_array_failure(replaced(good, "<NNN", ">NNN"), "little-endian");
  check_array_failure(replaced(good, "<NNN", "<N\x88N"), "sub-array");
  check_array_failure(replaced(good, raw("K\x03T"), raw("K\x04T")), "expected 3 in a dtype's state, got 4");
  check_array_failure(replaced(good, raw("\x89T"), raw("\x88T")), "Fortran order");
  check_array_failure(replaced(good, raw("\x89T"), raw("NT")), "expected an array's Fortran flag to be a bool");
  check_array_failure(replaced(good, raw("R(K\x01"), raw("R(K\x02")), "version 1");
  check_array_failure(raw("\x80\x02N."), "expected an array to be a NumPy array, got None");
  const auto bare = pickle_writer{}
                        .global("numpy.core.multiarray", "_reconstruct")
                        .global("numpy", "ndarray")
                        .op(raw("K\x00\x85U\x01"
                                "b\x87R"))
                        .stop();
  check_array_failure(bare, "with its state, got none");
}

TEMPLATE_TEST_CASE("pickle matrices: values are taken as they are", "", float, double) {
  const auto file = decode(pickle_writer{}.csr(3, 4, {0, 2, 2, 3}, {1, 3, 0}, {0.5f, 2, 0.1f}).stop());
  const auto matrix = csr_in<TestType, std::int64_t>(file);
  CHECK(matrix.rows() == 3);
  CHECK(matrix.cols() == 4);
  REQUIRE(matrix.nonzeros() == 3);
  CHECK(matrix.row_columns(0)[1] == 3);
  CHECK(matrix.row_values(1).empty());
  CHECK(matrix.row_values(2)[0] == static_cast<TestType>(0.1f));
}

TEST_CASE("pickle matrices: damaged ones are refused") {
  const auto with = [](std::vector<std::int32_t> starts, std::vector<std::int32_t> columns, std::vector<float> values) {
    return pickle_writer{}.csr(2, 4, starts, columns, values).stop();
  };
  check_matrix_failure(with({0, 1}, {0}, {1}), "expected 3 row starts");
  check_matrix_failure(with({1, 1, 1}, {0}, {1}), "row starts from 0 to 1");
  check_matrix_failure(with({0, 1, 2}, {0}, {1}), "row starts from 0 to 1");
  check_matrix_failure(with({0, 1, -1}, {0}, {1}), "row starts from 0 to 1");
  check_matrix_failure(with({0, 1, 1}, {0}, {1, 2}), "and 1 values");
  check_matrix_failure(with({0, 2, 1}, {0}, {1}), "got 2 after 0");
  check_matrix_failure(with({0, -1, 1}, {0}, {1}), "got -1 after 0");
  check_matrix_failure(with({0, 1, 1}, {4}, {1}), "columns below 4 in row 0, got 4");
  check_matrix_failure(with({0, 1, 1}, {-1}, {1}), "got -1");
  check_matrix_failure(with({0, 2, 2}, {1, 1}, {1, 1}), "got 1 after 1");
  check_matrix_failure(with({0, 1, 1}, {0}, {-1}), "at least 0, got -1");
  check_matrix_failure(with({0, 1, 1}, {0}, {std::numeric_limits<float>::quiet_NaN()}), "got nan");
  check_matrix_failure(with({0, 1, 1}, {0}, {std::numeric_limits<float>::infinity()}), "got inf");

  const auto good = with({0, 1, 1}, {0}, {1});
  check_matrix_failure(replaced(good, "indptr", "indqtr"), "expected a member 'indptr', got none");
  check_matrix_failure(replaced(good, "format", "_shape"), "expected one member '_shape', got a second");
  check_matrix_failure(replaced(good, "csr\x54", "csc\x54"), "format 'csr'");
  check_matrix_failure(replaced(good, raw("K\x02K\x04\x86"), raw("NK\x04\x86")), "expected rows to be an integer");
  check_matrix_failure(pickle_writer{}.array<std::int32_t>({0}, {}).stop(),
                       "to be a SciPy CSR matrix, got a NumPy array");
}
