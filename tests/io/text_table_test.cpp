// SPDX-License-Identifier: MIT
#include "io/text_table.hpp"
#include "io/text_column.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "graphpatcher/core/philox.hpp"
#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::gzipped;
using gp_test::temporary_folder;

namespace {

template <class T = float, class I = std::int32_t>
feature_table<T, I> table(const std::string& name, const std::string& content, text_options options = {},
                          text_header header = text_header::automatic) {
  const temporary_folder folder;
  folder.write(name, content);
  text_source source(folder.path() / name, options);
  return read_text_table<T, I>(source, header);
}

std::vector<std::int32_t> column(const std::string& content, std::int64_t least, std::int64_t below) {
  const temporary_folder folder;
  folder.write("y.csv", content);
  text_source source(folder.path() / "y.csv");
  return read_text_column<std::int32_t>(source, "a class", least, below);
}

void check_table_refused(const std::string& content, const std::string& message) {
  check_error<format_error>([&] { table("x.csv", content); }, "x.csv", message);
  check_error<format_error>([&] { table("x.csv.gz", gzipped(content)); }, "x.csv.gz",
                            message.substr(message.find(": ") + 2));
}

}  // namespace

TEST_CASE("text_table: numbers as sparse rows") {
  for (const std::string content : {"0,1.5,0\n0,0,0\n0,0,0\n-2,0,1e-3\n", "a,b,c\n0,1.5,0\n0,0,0\n0,0,0\n-2,0,1e-3",
                                    "0\t1.5\t0\r\n0\t-0\t0.0\r\n0 0 0\r\n-2\t0\t1e-3\r\n"}) {
    const auto read = table("x.csv", content);
    REQUIRE_FALSE(read.is_dense());
    const auto& x = read.sparse();
    CHECK(x.rows() == 4);
    CHECK(x.cols() == 3);
    CHECK(std::vector(x.offsets().begin(), x.offsets().end()) == std::vector<std::int32_t>{0, 1, 1, 1, 3});
    CHECK(std::vector(x.columns().begin(), x.columns().end()) == std::vector<std::int32_t>{1, 0, 2});
    CHECK(std::vector(x.values().begin(), x.values().end()) == std::vector<float>{1.5f, -2.0f, 1e-3f});
  }
  CHECK(table("x.csv", "0,1\n2,3\n", {}, text_header::present).rows() == 1);
  CHECK(table("x.csv", "").rows() == 0);
}

TEST_CASE("text_table: large ones, plain and packed, with any number of threads, are the same") {
  const bool dense = GENERATE(true, false);
  std::string content;
  std::vector<double> values;
  for (std::size_t i = 0; i < 300000; ++i) {
    const double value = (dense || i % 4 == 0) ? static_cast<double>(i % 5) * 0.25 * static_cast<double>(i % 977) : 0;
    values.push_back(value);
    content += text(value, i % 3 == 2 ? "\n" : ",");
  }
  const auto one = table<double, std::int64_t>("x.csv", content, {.exec = {1}});
  REQUIRE(one.rows() == 100000);
  CHECK(one.is_dense() == dense);
  std::size_t wrong = 0;
  std::vector<double> row(3);
  for (std::size_t r = 0; r < one.rows(); ++r) {
    one.read_row(r, row);
    wrong += !std::equal(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(3 * r));
  }
  CHECK(wrong == 0);
  for (const auto& other : {table<double, std::int64_t>("x.csv", content, {.exec = {3}}),
                            table<double, std::int64_t>("x.csv.gz", gzipped(content))}) {
    CHECK(other.is_dense() == dense);
    CHECK(other == one);
    CHECK(other.stored() == one.stored());
  }
}

TEST_CASE("text_table: what is no number, and rows of other lengths, with their line") {
  check_table_refused("1,2\n3,nan\n", "line 2: expected a number, a finite number, got 'nan'");
  check_table_refused("nan,2\n3,4\n", "line 1: expected a number, a finite number, got 'nan'");
  check_table_refused("1,2\n3,1e999\n", "line 2: expected a number, a finite number, got '1e999'");
  check_table_refused("1,2\n3,x\n", "line 2: expected a number, a finite number, got 'x'");
  check_table_refused("1,2\n\n3\n", "line 3: expected 2 numbers, as on the first line, got 1");
  check_table_refused("1,2\n3,4,5\n", "line 2: expected 2 numbers, as on the first line, got 3");
  check_table_refused("1,2\n3,\n", "line 2: expected a number, got the end of the line");
  check_table_refused("1,2\n3,,4\n", "line 2: expected a number, a finite number, got ''");
}

TEST_CASE("text_table: what is counted without reading is what is read") {
  const random_stream stream(5, purpose::generator);
  const std::string fields[] = {"0",  "-0", "0.0", "1",  "-2.5", "0.001", "100", "+0",   "00",
                                "10", ".5", "0.",  "7.", "-.0",  "1e-9",  "0e5", "1e-99"};
  const std::string separators[] = {",", ", ", " ", "\t", " , "};
  for (std::size_t round = 0; round < 60; ++round) {
    const bool plain = round % 3 != 0;  // no exponents and no comments
    std::string lines;
    for (std::size_t line = 0; line < 40; ++line) {
      const auto bits = stream.bits(1000 * round + 20 * line);
      for (std::size_t column = 0; column < 3; ++column) {
        const auto field = stream.bits(1000 * round + 20 * line + column + 1);
        std::string number = fields[field[0] % (plain ? 14 : 17)];
        lines += number + (column < 2 ? separators[field[1] % 5] : bits[0] % 4 == 0 ? " " : "");
      }
      lines += bits[1] % 2 == 0 ? "\n" : "\r\n";
      lines += bits[2] % 5 == 0 ? " \r\n\n" : "";
      lines += !plain && bits[3] % 5 == 0 ? "# 1,2,3\n" : "";
    }
    if (round % 2 == 0 && lines.ends_with('\n')) {
      lines.pop_back();
    }
    const auto x = table<float>("x.csv", lines, {.exec = {2}}, text_header::absent);
    detail::table_tally tally;
    CHECK(detail::tally_plain_table(lines, tally) == plain);
    if (plain) {
      CHECK(tally.rows == x.rows());
      CHECK(static_cast<double>(tally.nonzeros) == Approx(x.density() * 120));
    }
    CHECK(x.rows() == 40);
    CHECK(x.cols() == 3);
  }
}

TEST_CASE("text_table: numbers that an exponent makes 0 are not stored") {
  const auto read = table("x.csv", "1e-60,2,0,0\n3,0e9,0,0\n");
  const auto& x = read.sparse();
  CHECK(std::vector(x.offsets().begin(), x.offsets().end()) == std::vector<std::int32_t>{0, 1, 2});
  CHECK(std::vector(x.values().begin(), x.values().end()) == std::vector<float>{2, 3});
}

TEST_CASE("text_table: numbers that are 0 to a float, for all their digits, are not stored") {
  for (const std::size_t zeros : {20, 43, 46, 60, 100, 300}) {
    const auto x = table(
        "x.csv", std::string(zeros % 64, '\n') + "1,0." + std::string(zeros, '0') + "1,0,0,0,0,0,0\n2,3,0,0,0,0,0,0\n");
    CHECK(x.sparse().nonzeros() == (zeros < 45 ? 4 : 3));
  }
}

TEST_CASE("text_table: a large packed table is that of the plain text, whether its head tells its size or not") {
  const random_stream stream(6, purpose::generator);
  const std::size_t rows = 80000;
  const auto lines = [&](auto&& is_zero) {
    std::string text;
    for (std::size_t i = 0; i < 8 * rows; ++i) {
      const auto bits = stream.bits(i);
      text += is_zero(i / 8, bits[1]) ? "0." + std::to_string(bits[0] % 10) + "e-99" : std::to_string(bits[0]);
      text += i % 8 == 7 ? '\n' : ',';
    }
    return text;
  };
  const std::string texts[] = {
      lines([](std::size_t, std::uint32_t) { return false; }),
      lines([](std::size_t row, std::uint32_t bits) { return row > rows / 2 && bits % 8 != 0; }),
      lines([](std::size_t row, std::uint32_t bits) { return row < rows / 2 && bits % 8 != 0; }),
      lines([](std::size_t row, std::uint32_t bits) { return row > rows - 9 && bits % 2 == 0; }),
      lines([](std::size_t, std::uint32_t bits) { return bits % 16 < 11; }),                        // sparse
      lines([](std::size_t row, std::uint32_t bits) { return row > rows / 8 && bits % 16 < 13; }),  // but not its head
      lines([](std::size_t row, std::uint32_t bits) { return row < rows / 8 && bits % 16 < 13; }),  // but its head
  };
  for (const auto& text : texts) {
    const auto packed = gzipped(text);
    REQUIRE(packed.size() > 1u << 20);
    const auto expected = table<double>("x.csv", text);
    for (const int threads : {1, 2}) {
      const auto x = table<float>("x.csv.gz", packed, {.exec = {threads}});
      CHECK(x.rows() == rows);
      const auto plain = table<float>("x.csv", text, {.exec = {threads}});
      CHECK(x.is_dense() == plain.is_dense());
      CHECK(x.is_dense() == (plain.density() * 3 >= 1));
      CHECK(x == plain);
      CHECK(x.stored() == plain.stored());
    }
    CHECK(expected.rows() == rows);
  }
  const auto cut = texts[0].substr(0, texts[0].size() - 4) + "x\n";
  check_error<format_error>([&] { table("x.csv.gz", gzipped(cut)); }, "x.csv.gz", "line 80000 of the unpacked text");
}

TEST_CASE("text_table: a first line of more than a megabyte, plain and packed") {
  constexpr std::size_t width = 400000;
  std::string content;
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      content += std::to_string(column % 90 + 10) + ".5";
      content += column + 1 < width ? ',' : '\n';
    }
  }
  REQUIRE(content.find('\n') > 1u << 20);
  for (const bool packed : {false, true}) {
    for (const auto& header : {std::string(), std::string(1200000, 'h') + "\n"}) {
      const auto text = header + content;
      const auto x = packed ? table("x.csv.gz", gzipped(text)) : table("x.csv", text);
      CHECK(x.rows() == 2);
      CHECK(x.cols() == width);
      CHECK(x.is_dense());
      std::vector<float> row(width);
      x.read_row(1, row);
      CHECK(row[width - 1] == static_cast<float>((width - 1) % 90 + 10) + 0.5f);
    }
  }
}

TEST_CASE("text_table: a column of integers in a range") {
  CHECK(column("label\n2\n-1\n0\n", -1, 3) == std::vector<std::int32_t>{2, -1, 0});
  CHECK(column("2\r\n1", 0, 3) == std::vector<std::int32_t>{2, 1});
  CHECK(column("", 0, 3).empty());
  const auto refused = [](const std::string& content, const std::string& message) {
    check_error<format_error>([&] { column(content, -1, 3); }, "y.csv", message);
  };
  refused("0\n3\n", "line 2: expected a class in [-1, 3), got 3");
  refused("0\n-2\n", "line 2: expected a class in [-1, 3), got -2");
  refused("0\n1.0\n", "line 2: expected a class, an integer, got '1.0'");
  refused("0\n1,2\n", "line 2: expected one number on a line, got more: '2'");
  refused("0\nnan\n", "got 'nan'");
}

TEST_CASE("text_table: a plus before a number, and other ways to write one") {
  const auto x = table("x.csv", "+0.5,+1e-2,+.25\n+7,1E2,-.5\n1.,+0.0,00.5\n1,1,1\n");
  REQUIRE(x.is_dense());
  CHECK(x == feature_table<float, std::int32_t>(
                 matrix<float>{{0.5f, 0.01f, 0.25f}, {7, 100, -0.5f}, {1, 0, 0.5f}, {1, 1, 1}}));
  CHECK(column("+1\n+0\n-1\n", -1, 3) == std::vector<std::int32_t>{1, 0, -1});
  for (const char* bad : {"1,++1\n", "1,+-1\n", "1,+\n", "1,+nan\n", "1,+inf\n", "1,+1e999\n", "1,+x\n"}) {
    check_table_refused(bad, "line 1: expected a number, a finite number, got '+");
  }
  CHECK(table<float>("x.csv", "+1e-999,1,1\n").density() == Approx(2.0 / 3));
}

TEST_CASE("text_table: an empty line of a column is named wherever it is") {
  std::string lines;
  for (int i = 0; i < 300000; ++i) {
    lines += i == 200000 ? "\n" : "0\n";
  }
  const auto refused = [&](const std::string& content, const std::string& line) {
    check_error<format_error>([&] { column(content, 0, 1); }, "y.csv", line + ": expected a class, got an empty line");
  };
  refused(lines, "line 200001");
  // Between two pieces, which are cut at 256 kB: the empty lines end the first.
  std::string pieces;
  while (pieces.size() < (std::size_t{1} << 18) - 4) {
    pieces += "0\n";
  }
  pieces += "\n\n\n\n\n\n0\n";
  refused(pieces, "line 131071");
  CHECK(column("0\n0\n" + std::string(600000, '\n'), 0, 1).size() == 2);
}
