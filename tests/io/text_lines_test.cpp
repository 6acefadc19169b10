// SPDX-License-Identifier: MIT
#include "io/text_lines.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <optional>

using namespace graphpatcher;

namespace {

template <class N>
std::vector<std::vector<N>> numbers_of(std::string_view lines) {
  std::vector<std::vector<N>> all;
  text_lines reader(lines);
  while (reader.next()) {
    auto& row = all.emplace_back();
    while (!reader.done()) {
      row.push_back(reader.number<N>("a number"));
    }
  }
  return all;
}

/// Reads all numbers; the problem must be `offset` characters in and say `message`.
template <class N>
void check_problem(const std::string& lines, std::size_t offset, const std::string& message) {
  try {
    numbers_of<N>(lines);
    FAIL("read '" << lines << "', expected: " << message);
  } catch (const text_problem& problem) {
    CHECK(static_cast<std::size_t>(problem.where - lines.data()) == offset);
    CHECK_THAT(problem.what, Catch::Contains(message));
  }
}

}  // namespace

TEST_CASE("text_lines: commas, tabs and spaces separate; \\r\\n and a missing newline end") {
  using rows = std::vector<std::vector<std::int64_t>>;
  CHECK(numbers_of<std::int64_t>("1,2\n3\t4\n5 6\n") == rows{{1, 2}, {3, 4}, {5, 6}});
  CHECK(numbers_of<std::int64_t>("1 , 2\r\n  -3\t \t4 \r\n5") == rows{{1, 2}, {-3, 4}, {5}});
  CHECK(numbers_of<std::int64_t>("# x,y\n\n \t\n1,2\n#\n3,4") == rows{{1, 2}, {3, 4}});
  CHECK(numbers_of<std::int64_t>("").empty());
  CHECK(numbers_of<std::int64_t>("\n\r\n\n").empty());
  CHECK(numbers_of<double>(".5,-1e3,7\n") == std::vector<std::vector<double>>{{0.5, -1000, 7}});
}

TEST_CASE("text_lines: integers up to the last bit") {
  const auto most = std::numeric_limits<std::int64_t>::max();
  const auto least = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{999999999999999999},
                                   std::int64_t{1000000000000000000}, most - 1, most, least}) {
    CHECK(numbers_of<std::int64_t>(std::to_string(value)) == std::vector<std::vector<std::int64_t>>{{value}});
  }
  check_problem<std::int64_t>("1,9223372036854775808\n", 2, "out of range");
  check_problem<std::int64_t>("99999999999999999999999999", 0, "out of range");
  check_problem<std::uint64_t>("-1", 0, "expected a number, an integer, got '-1'");
}

TEST_CASE("text_lines: what is no number is quoted, where it stands") {
  check_problem<std::int64_t>("1,2\n3,x4\n", 6, "expected a number, an integer, got 'x4'");
  check_problem<std::int64_t>("1.0,2\n", 0, "got '1.0'");
  check_problem<std::int64_t>("1,,2\n", 2, "got ''");
  check_problem<std::int64_t>("1,2,\n", 4, "got the end of the line");
  check_problem<std::int64_t>(",1\n", 0, "got ''");
  check_problem<std::int64_t>("1;2\n", 0, "got '1;2'");
  check_problem<std::int64_t>(std::string("1,\x01\x80z\n"), 2, "got '??z'");
  check_problem<std::int64_t>(std::string(500, 'x'), 0, "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'");
  check_problem<std::int64_t>(std::string("1\0002", 3), 0, "got '1?2'");
}

TEST_CASE("text_lines: NaN and infinity are refused, however they are written") {
  for (const std::string word : {"nan", "NaN", "-nan", "inf", "-inf", "Infinity", "nan(7)", "1e999"}) {
    check_problem<double>("1," + word + "\n", 2, "expected a number, a finite number, got '" + word + "'");
    check_problem<float>("1," + word + "\n", 2, "got '" + word + "'");
  }
  check_problem<float>("1e39", 0, "finite number");
}

TEST_CASE("text_lines: a number too small for a float is 0, one between is rounded once") {
  CHECK(numbers_of<float>("1e-60 1e-40 0.1") == std::vector<std::vector<float>>{{0.0f, 1e-40f, 0.1f}});
  CHECK(numbers_of<float>("-1e-2020 2") == std::vector<std::vector<float>>{{0.0f, 2.0f}});
  CHECK(numbers_of<double>("1e-400 1e-310 0.5") == std::vector<std::vector<double>>{{0.0, 1e-310, 0.5}});
}

TEST_CASE("text_lines: overlong lines, and more on a line than it should have") {
  const std::string lines = "1,2\n" + std::string(50, '1') + "\n";
  text_lines reader(lines, 49);
  CHECK(reader.next());
  CHECK_THROWS_AS(reader.next(), text_problem);
  text_lines extra("1,2,0.5\n");
  REQUIRE(extra.next());
  extra.number<std::int64_t>("an id");
  extra.number<std::int64_t>("an id");
  try {
    extra.expect_done("two ids");
    FAIL("took a third number");
  } catch (const text_problem& problem) {
    CHECK(problem.what == "expected two ids, got more: '0.5'");
  }
}

TEST_CASE("header_length: a line that begins with anything but a number") {
  const auto length = [](std::string_view head, text_header header = text_header::automatic) {
    return detail::header_length(head, header);
  };
  CHECK(length("source,target\n1,2\n") == 14);
  CHECK(length("# made by hand\nsource,target\n1,2\n") == 29);
  CHECK(length("\"a\",b\n") == 6);
  CHECK(length("information\r\n1\n") == 13);
  CHECK(length("no newline") == 10);
  for (const char* number : {"1,2\n", "-1,2\n", ".5\n", "nan,1\n", "inf\n", "1x,2\n", "  7\n", ""}) {
    CHECK(length(number) == 0);
  }
  CHECK(length("0,1,2\n1,2,3\n", text_header::present) == 6);
  CHECK(length("source,target\n", text_header::absent) == 0);
}
