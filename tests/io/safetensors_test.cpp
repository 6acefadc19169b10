// SPDX-License-Identifier: MIT
#include "graphpatcher/io/safetensors.hpp"

#include <catch2/catch.hpp>

#include <limits>

#include "io/pickle_writer.hpp"
#include "support/allocation_watch.hpp"

using namespace graphpatcher;
using gp_test::bytes_of;
using gp_test::little;
using gp_test::raw;

namespace {

std::string file_of(const std::string& json, const std::string& data) {
  return little(std::uint64_t{json.size()}) + json + data;
}

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

safetensors_archive open(const std::string& bytes) {
  return safetensors_archive("test.safetensors", bytes_of(bytes));
}

/// Refused, with the file, an offset inside it, the words, and without asking
/// for more memory than the file could fill.
void check_failure(const std::string& bytes, const std::string& message) {
  gp_test::largest_request = 0;
  try {
    open(bytes);
    FAIL("read without an error, expected: " << message);
  } catch (const format_error& failure) {
    CHECK(gp_test::largest_request < 4096 + 4 * bytes.size());
    CHECK(failure.path() == "test.safetensors");
    CHECK(failure.offset() <= bytes.size());
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

void check_header(const std::string& json, const std::string& message) {
  check_failure(file_of(json, std::string(24, '\0')), message);
}

}  // namespace

TEST_CASE("safetensors: tensors of every type, metadata, padding") {
  const std::string json = "{\"__metadata__\":{\"a\":\"b\",\"\":\"\"}," + tensor("d", "F64", "[2]", "[0,16]") + "," +
                           tensor("f", "F32", "[1,2]", "[16,24]") + "," + tensor("none", "F32", "[0,7]", "[24,24]") +
                           "," + tensor("h", "F16", "[]", "[24,26]") + "," + tensor("b", "BF16", "[1]", "[26,28]") +
                           "," + tensor("i", "I64", "[1]", "[28,36]") + "," + tensor("s", "I16", "[1]", "[36,38]") +
                           "}   ";
  const std::string data = little(0.1) + little(-2.0) + little(0.5f) + little(3.0f) + raw("\x00\x3c") +
                           raw("\x40\xc0") + little(std::int64_t{-7}) + raw("\x01\x00");
  const auto file = open(file_of(json, data));
  CHECK(file.names() == std::vector<std::string>{"d", "f", "none", "h", "b", "i", "s"});
  CHECK(file.metadata() == std::map<std::string, std::string>{{"", ""}, {"a", "b"}});
  CHECK(file.read<double>("d").values == std::vector<double>{0.1, -2});
  CHECK(file.read<float>("f").shape == std::vector<std::size_t>{1, 2});
  CHECK(file.read<double>("f").values == std::vector<double>{0.5, 3});
  CHECK(file.read<float>("h").shape.empty());
  CHECK(file.read<float>("h").values == std::vector<float>{1});     // 0x3c00
  CHECK(file.read<double>("b").values == std::vector<double>{-3});  // 0xc040
  CHECK(file.read<std::int64_t>("i").values == std::vector<std::int64_t>{-7});
  CHECK(file.read<float>("none").shape == std::vector<std::size_t>{0, 7});
  CHECK(file.read<float>("none").values.empty());
  CHECK(file.contains("h"));
  CHECK_FALSE(file.contains("__metadata__"));
  CHECK_THROWS_WITH(file.read<float>("x"), Catch::Contains("no tensor is called 'x'; it has d, f, none, h"));
  CHECK_THROWS_WITH(file.read<float>("d"), Catch::Contains("0.1 would change"));
  CHECK_THROWS_WITH(file.read<float>("s"), Catch::Contains("got I16"));
  CHECK_THROWS_WITH(file.read<std::int32_t>("h"), Catch::Contains("expected integers"));
  CHECK(open(file_of("{}", "")).names().empty());
}

TEST_CASE("safetensors: headers that lie are refused") {
  check_failure("", "the length of a safetensors header");
  check_failure(little(std::uint64_t{100'000'001}) + "{}", "at most 100000000 bytes, got 100000001");
  check_failure(little(~std::uint64_t{0}) + "{}", "at most 100000000 bytes");
  check_failure(little(std::uint64_t{3}) + "{}", "got the end of the data after 2");
  check_failure(file_of("", ""), "begins with {");
  check_failure(file_of(" {}", ""), "begins with {");
  check_failure(file_of("[]", ""), "begins with {");
  check_failure(file_of("{}x", ""), "expected JSON");
  check_failure(file_of("{", ""), "expected JSON");
  check_failure(file_of("{\"a\xff\":1}", ""), "expected JSON");
  check_failure(file_of("{}", "x"), "1 bytes that belong to no tensor");

  const auto with = [](const std::string& a) { return "{" + a + "}"; };
  const auto good = tensor("a", "F32", "[6]", "[0,24]");
  REQUIRE(open(file_of(with(good), std::string(24, '\0'))).read<float>("a").values.size() == 6);
  check_header(with(good + "," + good), "every name once, got 'a' again");
  check_header(with("\"__metadata__\":{},\"__metadata__\":{}," + good), "every name once");
  check_header(with("\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}," + good), "every name once, got 'k' again");
  check_header(with("\"__metadata__\":{\"k\":1}," + good), "no number here");
  check_header(with("\"__metadata__\":{\"k\":{}}," + good), "no object at this depth");
  check_header(with("\"__metadata__\":\"k\"," + good), "no text here");
  check_header(with("\"__metadata__\":{\"k\":null}," + good), "no null");
  check_header(with("\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}"), "each once");
  check_header(with("\"a\":{\"dtype\":\"F32\",\"shape\":[6]}"), "dtype, shape and data_offsets of every tensor");
  check_header(with("\"a\":{\"dtype\":\"F32\",\"other\":[6]}"), "no other key");
  check_header(with("\"a\":{\"dtype\":[1]}"), "a list only as");
  check_header(with("\"a\":{\"shape\":[[1]]}"), "a list only as");
  check_header(with("\"a\":{\"shape\":[true]}"), "no boolean");
  check_header(with("\"a\":{\"shape\":\"6\"}"), "no text here");
  check_header(with("\"a\":1"), "no number here");
  check_header(with(tensor("a", "F32", "[-6]", "[0,24]")), "whole numbers from 0");
  check_header(with(tensor("a", "F32", "[6.0]", "[0,24]")), "whole numbers from 0");
  check_header(with(tensor("a", "F32", "[18446744073709551616]", "[0,24]")), "whole numbers from 0");
  check_header(with(tensor("a", "F32", "[6]", "[0]")), "two data_offsets");
  check_header(with(tensor("a", "F32", "[6]", "[0,24,24]")), "no number here");
  check_header(with(tensor("a", "F33", "[6]", "[0,24]")), "got 'F33'");
  check_header(with(tensor("a", "F32", "[6]", "[24,0]")), "got 24 to 0");
  check_header(with(tensor("a", "F32", "[6]", "[0,25]")), "within the 24 bytes of data, got 0 to 25");
  check_header(with(tensor("a", "F32", "[6]", "[18446744073709551612,18446744073709551615]")), "within the 24 bytes");
  check_header(with(tensor("a", "F32", "[5]", "[0,24]")), "expected 5 values of 4 bytes, got 24 bytes");
  check_header(with(tensor("a", "F64", "[6]", "[0,24]")), "more values than the 3");
  check_header(with(tensor("a", "F32", "[0]", "[0,24]")), "expected 0 values");
  // 4194305 * 4194305 * 211106198978564 = 4 modulo 2^64: one value in F32 if the product is believed.
  check_header(with(tensor("a", "F32", "[4194305,4194305,211106198978564]", "[0,24]")), "more values than the 6");
  check_header(with(tensor("a", "F32", "[4194305,4194305,211106198978564]", "[0,16]")), "more values than the 4");
  check_header(with(tensor("a", "U8", "[9223372036854775808,2]", "[0,0]")), "more values than the 0");
  std::string axes = "[1";
  for (int i = 0; i < 64; ++i) {
    axes += ",1";
  }
  check_header(with(tensor("a", "F32", axes + "]", "[0,24]")), "at most 64 axes");
  check_header(with(good + ",\"" + std::string(200, 'n') + "\":{\"x\":1}"), "no other key");
}

TEST_CASE("safetensors: holes, overlaps and left-over bytes are refused") {
  const auto two = [](const std::string& first, const std::string& second) {
    return "{" + tensor("a", "U8", "[12]", first) + "," + tensor("b", "U8", "[12]", second) + "}";
  };
  REQUIRE(open(file_of(two("[12,24]", "[0,12]"), std::string(24, '\0'))).names() == std::vector<std::string>{"b", "a"});
  check_header(two("[0,12]", "[11,23]"), "to begin at byte 12 of the data, where the one before ends, got 11");
  check_header(two("[0,12]", "[0,12]"), "to begin at byte 12");
  check_failure(file_of(two("[0,12]", "[13,25]"), std::string(25, '\0')), "to begin at byte 12");
  check_failure(file_of(two("[1,13]", "[13,25]"), std::string(25, '\0')), "to begin at byte 0");
  check_failure(file_of(two("[0,12]", "[12,24]"), std::string(25, '\0')), "1 bytes that belong to no tensor");
  check_failure(file_of(two("[0,12]", "[12,24]"), std::string(23, '\0')), "within the 23 bytes");
}

TEST_CASE("safetensors: booleans are 0 or 1, and a header is text to its end") {
  const auto flags = open(file_of("{" + tensor("a", "BOOL", "[2]", "[0,2]") + "}", std::string("\0\1", 2)));
  REQUIRE(flags.read<std::uint8_t>("a").values == std::vector<std::uint8_t>{0, 1});
  const auto two = open(file_of("{" + tensor("a", "BOOL", "[2]", "[0,2]") + "}", std::string("\0\2", 2)));
  CHECK_THROWS_AS(two.read<std::uint8_t>("a"), format_error);
  CHECK_THROWS_AS(two.read<double>("a"), format_error);
  check_failure(file_of(std::string("{}\0{}", 5), ""), "a zero byte");
}

TEST_CASE("safetensors: JSON without end is refused at once") {
  for (const std::string repeated : {"[", "{\"a\":"}) {
    std::string json = "{\"a\":";
    while (json.size() < 1'000'000) {
      json += repeated;
    }
    check_failure(file_of(json, ""), repeated == "[" ? "a list only as" : "no other key");
  }
}

TEST_CASE("safetensors: cut short or with a byte changed, a file is refused or of the same size") {
  const std::string whole = file_of("{" + tensor("a", "F32", "[2,3]", "[0,24]") + "}", std::string(24, '\1'));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_THROWS_AS(open(whole.substr(0, length)), format_error);
  }
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (int value = 0; value < 256; ++value) {
      auto bytes = whole;
      bytes[place] = static_cast<char>(value);
      try {
        const auto file = open(bytes);
        REQUIRE(file.tensors().size() == 1);
        REQUIRE(file.tensors()[0].end == 24);
      } catch (const format_error& failure) {
        REQUIRE(failure.offset() <= bytes.size());
      }
    }
  }
}
