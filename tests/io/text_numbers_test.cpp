// SPDX-License-Identifier: MIT
#include "io/text_numbers.hpp"

#include <catch2/catch.hpp>

#include <charconv>
#include <cstdio>
#include <string>

#include "graphpatcher/core/philox.hpp"

using namespace graphpatcher;

namespace {

/// The same by the standard library, for texts that both read.
template <class T>
void check_decimal(const std::string& text) {
  T quick = -1;
  T exact = -2;
  const char* const end = text.data() + text.size();
  const char* const stop = detail::read_short_decimal(text.data(), end, quick);
  const auto standard = std::from_chars(text.data(), end, exact);
  INFO(text);
  REQUIRE(standard.ec == std::errc{});
  if (stop != nullptr) {
    CHECK(stop == standard.ptr);
    CHECK(quick == exact);
    CHECK(std::signbit(quick) == std::signbit(exact));
  }
}

/// The same for a field with something behind it.
template <class T>
bool check_field(const std::string& field) {
  const std::string text = field + ",12345678";
  T quick = -1;
  T exact = -2;
  const bool read = detail::read_decimal_field(text.data(), text.data() + field.size(), quick);
  if (read) {
    INFO(field);
    const auto standard = std::from_chars(field.data(), field.data() + field.size(), exact);
    CHECK(standard.ec == std::errc{});
    CHECK(standard.ptr == field.data() + field.size());
    CHECK(quick == exact);
    CHECK(std::signbit(quick) == std::signbit(exact));
  }
  return read;
}

}  // namespace

TEST_CASE("text_numbers: digits, whatever their number, what follows and how near the end is") {
  for (std::size_t count = 0; count <= 19; ++count) {
    const std::string digits = std::string("1234567890123456789").substr(0, count);
    for (const std::string rest : {"", ",", "x", "/", ":", "\xff", ",99999999999", "\n123456789"}) {
      const std::string text = digits + rest;
      std::uint64_t value = 0;
      const char* const stop = detail::read_digits(text.data(), text.data() + text.size(), value);
      CHECK(stop == text.data() + count);
      CHECK(value == (count == 0 ? 0 : std::stoull(digits)));
    }
  }
}

TEST_CASE("text_numbers: short decimals are the nearest number, as the standard library reads them") {
  for (const char* text : {"0", "-0", "0.0", "1", "-1.5", "0.1", "123456.789", ".5", "5.", "999999999999999",
                           "0.00000000000001", "16777217", "33554433", "0.1000000014901", "3.4028235"}) {
    check_decimal<float>(text);
    check_decimal<double>(text);
  }
  const random_stream stream(3, purpose::generator);
  for (std::size_t i = 0; i < 100000; ++i) {
    const auto bits = stream.bits(i);
    const double value = static_cast<double>(bits[0]) / (bits[1] % 2 == 0 ? 4294967296.0 : 1000.0);
    char text[64];
    std::snprintf(text, sizeof text, "%s%.*f", bits[2] % 3 == 0 ? "-" : "", static_cast<int>(bits[3] % 12), value);
    check_decimal<float>(text);
    check_decimal<double>(text);
  }
}

TEST_CASE("text_numbers: halfway between two floats, the standard library decides") {
  // 16777217 is between the floats 16777216 and 16777218.
  float value = 0;
  const std::string text = "16777217";
  CHECK(detail::read_short_decimal(text.data(), text.data() + text.size(), value) == nullptr);
  double wide = 0;
  CHECK(detail::read_short_decimal(text.data(), text.data() + text.size(), wide) != nullptr);
  CHECK(wide == 16777217.0);
}

TEST_CASE("text_numbers: what is no short decimal is left alone") {
  for (const std::string text : {"", "-", ".", "-.", "x", "+1", "1234567890123456", "0.1234567890123456", "nan"}) {
    double value = 7;
    CHECK(detail::read_short_decimal(text.data(), text.data() + text.size(), value) == nullptr);
    CHECK(value == 7);
  }
}

TEST_CASE("text_numbers: one to eight digits of a field, whatever follows") {
  for (std::size_t count = 0; count <= 9; ++count) {
    const std::string digits = std::string("987654321").substr(0, count);
    const std::string text = digits + ",99999999";
    std::uint64_t value = 0;
    const bool read = detail::read_eight_digits(text.data(), text.data() + count, value);
    CHECK(read == (count >= 1 && count <= 8));
    if (read) {
      CHECK(value == std::stoull(digits));
    }
  }
  for (const std::string bad : {"1x", "-1", "/", ":", "1 2", "\xb1", "1234567\xff"}) {
    std::uint64_t value = 0;
    const std::string text = bad + ",99999999";
    CHECK_FALSE(detail::read_eight_digits(text.data(), text.data() + bad.size(), value));
  }
}

TEST_CASE("text_numbers: fields that are short decimals are the nearest number") {
  for (const char* field : {"0", "-0", "0.0", "1", "-1.5", "0.1", "1234567.12345678", "-0.000001", "999999.5"}) {
    CHECK(check_field<float>(field));
    CHECK(check_field<double>(field));
  }
  CHECK_FALSE(check_field<float>("1677721.7e1"));
  CHECK_FALSE(check_field<float>("8388609.5"));  // halfway between two floats
  CHECK(check_field<double>("8388609.5"));
  for (const char* field :
       {"",   "-",    ".",    "-.",  ".5",       "5.",          "x",  "+1",  "1x",    "--1",    "1.2.3",
        "1-", "1.5x", "1.x5", "nan", "12345678", "1.123456789", "1 ", "1e5", "1.5e5", "1.\xb1", "\xb1.5"}) {
    CHECK_FALSE(check_field<float>(field));
    CHECK_FALSE(check_field<double>(field));
  }
  const random_stream stream(4, purpose::generator);
  std::size_t read = 0;
  for (std::size_t i = 0; i < 100000; ++i) {
    const auto bits = stream.bits(i);
    const double value = static_cast<double>(bits[0]) / (bits[1] % 2 == 0 ? 4294967296.0 : 1000.0);
    char field[64];
    std::snprintf(field, sizeof field, "%s%.*f", bits[2] % 3 == 0 ? "-" : "", static_cast<int>(bits[3] % 9), value);
    read += check_field<float>(field);
    check_field<double>(field);
  }
  CHECK(read > 90000);
}
