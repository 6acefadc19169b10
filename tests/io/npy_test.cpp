// SPDX-License-Identifier: MIT
#include "graphpatcher/io/npy.hpp"

#include <catch2/catch.hpp>

#include <limits>

#include "io/npy_values.hpp"
#include "io/pickle_writer.hpp"

using namespace graphpatcher;
using gp_test::little;
using gp_test::raw;

namespace {

std::string npy(const std::string& descr, const std::string& shape, const std::string& payload, char version = 1) {
  const std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }  \n";
  const std::string length = version == 1 ? little(static_cast<std::uint16_t>(header.size()))
                                          : little(static_cast<std::uint32_t>(header.size()));
  return "\x93NUMPY" + std::string{version, '\0'} + length + header + payload;
}

template <class T>
npy_array<T> decode(const std::string& text) {
  const auto bytes = gp_test::bytes_of(text);
  return decode_npy<T>(byte_reader("test.npy", bytes));
}

template <class T = double>
void check_failure(const std::string& text, const std::string& message) {
  try {
    decode<T>(text);
    FAIL("read without an error, expected: " << message);
  } catch (const format_error& failure) {
    CHECK(failure.path() == "test.npy");
    CHECK(failure.offset() <= text.size());
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("npy: every type and version") {
  for (const char version : {'\1', '\2', '\3'}) {
    const auto array = decode<double>(npy("<f8", "(2, 1)", little(0.1) + little(-2.0), version));
    CHECK(array.shape == std::vector<std::size_t>{2, 1});
    CHECK(array.values == std::vector<double>{0.1, -2});
  }
  CHECK(decode<double>(npy("<f4", "(1,)", little(0.1f))).values == std::vector<double>{0.1f});
  CHECK(decode<std::int64_t>(npy("<i4", "(1,)", little(-5))).values == std::vector<std::int64_t>{-5});
  CHECK(decode<std::int32_t>(npy("<i8", "(1,)", little(std::int64_t{-5}))).values == std::vector<std::int32_t>{-5});
  CHECK(decode<std::uint8_t>(npy("|b1", "(2,)", raw("\x01\x00"))).values == std::vector<std::uint8_t>{1, 0});
  CHECK(decode<float>(npy("|u1", "(1,)", "\xff")).values == std::vector<float>{255});
  CHECK(std::isnan(decode<float>(npy("<f8", "(1,)", little(std::nan("")))).values[0]));
}

TEST_CASE("npy: integers of every width, halves, and bytes in either order") {
  CHECK(
      decode<float>(npy("<f2", "(3,)",
                        little(std::uint16_t{0x3C00}) + little(std::uint16_t{0xC500}) + little(std::uint16_t{0x0001})))
          .values == std::vector<float>{1, -5, 0x1p-24f});
  CHECK(decode<std::int32_t>(npy("|i1", "(1,)", "\xfe")).values == std::vector<std::int32_t>{-2});
  CHECK(decode<std::int32_t>(npy("<i2", "(1,)", little(std::int16_t{-300}))).values == std::vector<std::int32_t>{-300});
  CHECK(decode<float>(npy("<u2", "(1,)", little(std::uint16_t{65535}))).values == std::vector<float>{65535});
  CHECK(decode<std::int64_t>(npy("<u4", "(1,)", little(4294967295u))).values == std::vector<std::int64_t>{4294967295});
  CHECK(decode<std::int64_t>(npy("<u8", "(1,)", little(std::uint64_t{7}))).values == std::vector<std::int64_t>{7});
  check_failure<std::int64_t>(npy("<u8", "(1,)", little(~std::uint64_t{0})), "18446744073709551615 would change");
  check_failure<std::int32_t>(npy("<f2", "(1,)", little(std::uint16_t{0x3C00})), "expected integers");

  CHECK(decode<double>(npy(">f8", "(1,)", raw("\x3f\xf8\0\0\0\0\0\0"))).values == std::vector<double>{1.5});
  CHECK(decode<float>(npy(">f4", "(1,)", raw("\xc0\0\0\0"))).values == std::vector<float>{-2});
  CHECK(decode<float>(npy(">f2", "(1,)", raw("\x3c\0"))).values == std::vector<float>{1});
  CHECK(decode<std::int32_t>(npy(">i4", "(2,)", raw("\0\0\1\2\xff\xff\xff\xfe"))).values ==
        std::vector<std::int32_t>{258, -2});
}

TEST_CASE("npy: columns first becomes rows first, with any number of axes") {
  const auto in_fortran_order = [](const std::string& shape, int count) {
    std::string payload;
    for (int i = 0; i < count; ++i) {
      payload += little(i);
    }
    return decode<std::int32_t>(replaced(npy("<i4", shape, payload), "False", "True ")).values;
  };
  CHECK(in_fortran_order("(2, 3)", 6) == std::vector<std::int32_t>{0, 2, 4, 1, 3, 5});
  CHECK(in_fortran_order("(2, 2, 3)", 12) == std::vector<std::int32_t>{0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11});
  CHECK(in_fortran_order("(3,)", 3) == std::vector<std::int32_t>{0, 1, 2});
  CHECK(in_fortran_order("(1, 3, 1)", 3) == std::vector<std::int32_t>{0, 1, 2});
  CHECK(in_fortran_order("()", 1) == std::vector<std::int32_t>{0});
  CHECK(in_fortran_order("(3, 0)", 0).empty());
}

TEST_CASE("npy: no axes is one number, and an extent of 0 none") {
  const auto scalar = decode<double>(npy("<f8", "()", little(3.5)));
  CHECK(scalar.shape.empty());
  CHECK(scalar.values == std::vector<double>{3.5});
  const auto none = decode<double>(npy("<f8", "(3, 0, 99999999999)", ""));
  CHECK(none.shape == std::vector<std::size_t>{3, 0, 99999999999});
  CHECK(none.values.empty());
}

TEST_CASE("npy: numbers that would change are refused") {
  check_failure<std::int32_t>(npy("<f4", "(1,)", little(1.0f)), "expected integers, got floating-point numbers");
  check_failure<std::int32_t>(npy("<i8", "(1,)", little(std::int64_t{1} << 40)), "1099511627776 would change");
  check_failure<std::uint8_t>(npy("<i4", "(1,)", little(-1)), "-1 would change");
  check_failure<float>(npy("<f8", "(1,)", little(0.1)), "0.1 would change");
  check_failure<float>(npy("<i4", "(1,)", little(16777217)), "16777217 would change");
  check_failure<double>(npy("<i8", "(1,)", little(std::numeric_limits<std::int64_t>::max())), "would change");
  check_failure<std::uint8_t>(npy("|b1", "(1,)", "\x02"), "booleans of 0 or 1");
  CHECK(decode<float>(npy("<f8", "(1,)", little(0.5))).values == std::vector<float>{0.5f});
  CHECK(decode<float>(npy("<i4", "(1,)", little(16777216))).values == std::vector<float>{16777216.0f});
}

TEST_CASE("npy: damaged files are refused") {
  const auto good = npy("<f8", "(2,)", little(1.0) + little(2.0));
  REQUIRE(decode<double>(good).values.size() == 2);
  for (std::size_t length = 0; length < good.size(); ++length) {
    CHECK_THROWS_AS(decode<double>(good.substr(0, length)), format_error);
  }
  check_failure(good + "x", "expected 2 values of 8 bytes, got 17 bytes");
  check_failure(replaced(good, "NUMPY", "NUMPI"), "begins with");
  check_failure(npy("<f8", "(0,)", "", '\4'), "got 4.0");
  check_failure(npy("<f8", "(4611686018427387904, 4)", little(1.0)), "more values than the 1");
  check_failure(npy("<f8", "(4194305, 4194305, 211106198978564)", little(1.0)), "more values than the 1");  // wraps
  check_failure(npy("<f8", "(99999999999999999999999,)", little(1.0)), "a number in the shape");
  check_failure(npy("<f8", "(-1,)", little(1.0)), "a number in the shape");
  check_failure(npy("<f8", "(1 1)", little(1.0)), "expected )");
  check_failure(npy("<f8", "[1]", little(1.0)), "expected (");
  check_failure(replaced(good, "False", "Maybe"), "expected False");
  check_failure(replaced(good, "'fortran_order': False,", "                       "), "fortran_order");
  check_failure(replaced(good, "'fortran_order': False", "'descr'        : '<f8'"), "each of the keys");
  check_failure(replaced(good, "descr", "descs"), "each of the keys");
  check_failure(replaced(good, "}  \n", "} 1\n"), "and nothing else");
  for (const char* descr : {"|f8", "<f3", "<f16", "|O", "|S8", "<c16", "<b1", "|i8", "<u1", "=f8", "f8", ""}) {
    CHECK_THROWS_AS(decode<double>(npy(descr, "(1,)", little(1.0))), format_error);
  }
  check_failure(npy("|O", "(1,)", little(1.0)), "got '|O'");
}

TEST_CASE("npy: headers of any length") {
  const std::string magic = raw("\x93NUMPY\x02\x00");
  check_failure(magic + little(std::uint32_t{0xFFFFFFFF}) + "{}", "expected an npy header of at most 65536 bytes");
  check_failure(magic + little(std::uint32_t{100}) + "{}", "expected a header (100 bytes)");
  check_failure(magic + little(std::uint32_t{0}), "npy header: expected {");
  auto long_one = npy("<f8", "(1," + std::string(60000, ' ') + ")", little(1.0), '\2');
  CHECK(decode<double>(long_one).values == std::vector<double>{1});
  check_failure(npy("<f8", "(1," + std::string(70000, ' ') + ")", little(1.0), '\2'), "at most 65536 bytes, got");
  std::string many;
  for (int axis = 0; axis < 20000; ++axis) {
    many += "1,";
  }
  CHECK(decode<double>(npy("<f8", "(" + many + ")", little(1.0), '\2')).shape.size() == 20000);
}

TEST_CASE("npy: doubles are rounded to float where that is asked for, unless they are too large") {
  const auto rounded = [](const std::string& text) {
    const auto bytes = gp_test::bytes_of(text);
    return decode_npy<float>(byte_reader("test.npy", bytes), npy_rounding::to_float).values[0];
  };
  CHECK(rounded(npy("<f8", "(1,)", little(0.1))) == 0.1f);
  CHECK(rounded(npy("<f8", "(1,)", little(1e-300))) == 0.0f);
  CHECK(std::isinf(rounded(npy("<f8", "(1,)", little(std::numeric_limits<double>::infinity())))));
  CHECK_THROWS_AS(rounded(npy("<f8", "(1,)", little(1e39))), format_error);
  CHECK_THROWS_AS(rounded(npy("<i4", "(1,)", little(16777217))), format_error);
}

TEST_CASE("npy: from a file") {
  const gp_test::temporary_folder folder;
  folder.write("a.npy", npy("<i4", "(2,)", little(1) + little(2)));
  CHECK(read_npy<std::int32_t>(folder.path() / "a.npy").values == std::vector<std::int32_t>{1, 2});
  CHECK_THROWS_AS(read_npy<double>(folder.path() / "b.npy"), file_error);
}
