// SPDX-License-Identifier: MIT
#include "io/matrix_market.hpp"

#include <catch2/catch.hpp>

#include "io/file_writers.hpp"

using namespace graphpatcher;

namespace {

matrix_market_header header(const std::string& content, const std::string& name = "a.mtx") {
  const gp_test::temporary_folder folder;
  folder.write(name, name.ends_with(".gz") ? gp_test::gzipped(content) : content);
  return read_matrix_market_header(text_source(folder.path() / name));
}

void check_refused(const std::string& content, std::uint64_t offset, const std::string& message) {
  INFO(content);
  try {
    header(content);
    FAIL("no error, expected: " << message);
  } catch (const format_error& failure) {
    CHECK_THAT(failure.path(), Catch::EndsWith("a.mtx"));
    CHECK(failure.offset() == offset);
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";

}  // namespace

TEST_CASE("matrix_market: banner, comments and sizes") {
  for (const char* name : {"a.mtx", "a.mtx.gz"}) {
    const auto plain = header(banner + "% a comment\n\n  5 4 3\n1 2\n", name);
    CHECK(plain.field == matrix_market_field::pattern);
    CHECK_FALSE(plain.symmetric);
    CHECK(plain.rows == 5);
    CHECK(plain.cols == 4);
    CHECK(plain.entries == 3);
    CHECK(plain.size_line == 4);
    CHECK(plain.length == banner.size() + 12 + 1 + 8);
  }
  const auto other = header("%%MATRIXMARKET Matrix Coordinate Real Symmetric\r\n2 2 18446744073709551615");
  CHECK(other.field == matrix_market_field::real);
  CHECK(other.symmetric);
  CHECK(other.entries == 18446744073709551615u);
  CHECK(other.length == 49 + 24);
}

TEST_CASE("matrix_market: every kind of number and of symmetry that the format has") {
  const auto field = [](const std::string& kind) {
    return header("%%MatrixMarket matrix coordinate " + kind + "\n2 2 1\n1 1 1\n");
  };
  for (const char* symmetry : {"general", "symmetric", "skew-symmetric", "hermitian"}) {
    CHECK(field(std::string("complex ") + symmetry).field == matrix_market_field::complex);
    CHECK(field(std::string("complex ") + symmetry).symmetric == (symmetry != std::string("general")));
  }
  CHECK(field("integer skew-symmetric").field == matrix_market_field::integer);
  CHECK(field("integer skew-symmetric").symmetric);
  CHECK(field("real general").field == matrix_market_field::real);
  // Behind a byte order mark everything is three bytes further.
  const auto marked = header("\xEF\xBB\xBF" + banner + "5 4 3\n");
  CHECK(marked.rows == 5);
  CHECK(marked.size_offset == 3 + banner.size());
  CHECK(marked.length == banner.size() + 6);
}

TEST_CASE("matrix_market: anything else, with its line") {
  check_refused("", 0, "line 1: expected '%%MatrixMarket matrix coordinate'");
  check_refused("%%MatrixMarket matrix array real general\n2 2\n", 0, "got a dense array; save the graph as a sparse");
  check_refused("%%MatrixMarket matrix coordinate quaternion general\n2 2 1\n", 0, "then pattern, integer, real or");
  check_refused("%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n", 0, "hermitian (with complex ones)");
  check_refused("%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n", 0, "skew-symmetric (with numbers)");
  check_refused("%%MatrixMarket matrix coordinate real general again\n2 2 1\n", 0, "line 1: expected");
  const auto size = banner.size();
  check_refused(banner, size, "line 2: expected a line with rows, columns and entries");
  check_refused(banner + "% only a comment\n", size + 17, "line 3: expected a line with rows");
  check_refused(banner + "5 5\n", size + 3, "line 2: expected a number of entries, got the end of the line");
  check_refused(banner + "5 5 1 1\n", size + 6, "line 2: expected rows, columns and entries, got more: '1'");
  check_refused(banner + "5 x 1\n", size + 2, "line 2: expected a number of columns, an integer, got 'x'");
  check_refused(banner + "-5 5 1\n", size, "expected a number of rows, an integer, got '-5'");
  check_refused(banner + "5 5 18446744073709551616\n", size + 4, "which is out of range");
}
