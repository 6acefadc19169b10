// SPDX-License-Identifier: MIT
#include "io/json_cursor.hpp"

#include <catch2/catch.hpp>

#include <vector>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;

namespace {

json_cursor cursor(std::string_view text) {
  return json_cursor("test.json", text);
}

template <class N>
std::vector<N> numbers(const std::string& text) {
  auto json = cursor(text);
  std::vector<N> all;
  json.array([&] { all.push_back(json.number<N>()); });
  json.finish();
  return all;
}

void check_skipped(const std::string& text) {
  INFO(text);
  auto json = cursor(text);
  json.skip();
  json.finish();
}

template <class Action>
void check_refused(const std::string& text, std::uint64_t offset, const std::string& message, const Action& action) {
  INFO(text);
  auto json = cursor(text);
  try {
    action(json);
    FAIL("no error, expected: " << message);
  } catch (const format_error& failure) {
    CHECK(failure.path() == "test.json");
    CHECK(failure.offset() == offset);
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

void check_skip_refused(const std::string& text, std::uint64_t offset, const std::string& message) {
  check_refused(text, offset, message, [](json_cursor& json) {
    json.skip();
    json.finish();
  });
}

}  // namespace

TEST_CASE("json_cursor: arrays, objects, numbers and booleans") {
  CHECK(numbers<int>(" [ 1 ,-2,\n3\t]\r\n") == std::vector<int>{1, -2, 3});
  CHECK(numbers<double>("[0.5,-1e3,7,-0.0]") == std::vector<double>{0.5, -1000, 7, 0});
  CHECK(numbers<float>("[1e-60, 1e-40, 0.1]") == std::vector<float>{0, 1e-40f, 0.1f});
  CHECK(numbers<double>("[-1e-2020, 0.0001e-400, 12345e-4000, 1e-99999999999999999999]") ==
        std::vector<double>(4, 0.0));
  CHECK(numbers<double>("[0." + std::string(400, '0') + "1]") == std::vector<double>{0});
  CHECK(numbers<float>("[1e-2020, 1" + std::string(60, '0') + "e-60]") == std::vector<float>{0, 1});
  for (const auto* large : {"[1e2020]", "[-12345e+400]", "[0.0001e500]", "[1e99999999999999999999]"}) {
    CHECK_THROWS_AS(numbers<double>(large), graphpatcher::error);
  }
  CHECK_THROWS_AS(numbers<double>("[1" + std::string(400, '0') + "]"), graphpatcher::error);
  CHECK_THROWS_AS(numbers<float>("[1e60]"), graphpatcher::error);
  CHECK(numbers<int>("[]").empty());
  auto json = cursor(R"({"a": [true, false, 1, 0], "b\"c": {}, "d": "x"})");
  std::vector<std::string> keys;
  std::vector<bool> values;
  json.object([&](std::string_view key) {
    keys.emplace_back(key);
    if (key == "a") {
      json.array([&] { values.push_back(json.boolean()); });
    } else {
      json.skip();
    }
  });
  json.finish();
  CHECK(keys == std::vector<std::string>{"a", "b\\\"c", "d"});
  CHECK(values == std::vector<bool>{true, false, true, false});
}

TEST_CASE("json_cursor: a copy reads the same place again") {
  auto json = cursor("[1,2] 3");
  auto again = json;
  json.skip();
  CHECK(json.number<int>() == 3);
  int sum = 0;
  again.array([&] { sum += again.number<int>(); });
  CHECK(sum == 3);
}

TEST_CASE("json_cursor: what is skipped must be JSON too") {
  for (const char* good : {"1", "-1.5e3", "true", "null", "\"a \\\" ] }\"", "[]", "{}", "[[1,[2]],{\"a\":[{}]}]"}) {
    check_skipped(good);
  }
  check_skip_refused("", 0, "expected a finite number");
  check_skip_refused(",", 0, "expected a finite number");
  check_skip_refused("[1,]", 3, "expected a finite number");
  check_skip_refused("[1 2]", 3, "expected a comma or the end of an array");
  check_skip_refused("[1}", 2, "expected a comma or the end of an array");
  check_skip_refused("{\"a\":1]", 6, "expected a comma or the end of an object");
  check_skip_refused("{\"a\" 1}", 5, "expected a colon");
  check_skip_refused("{1:2}", 1, "expected a string");
  check_skip_refused("[1", 2, "got the end of the file");
  check_skip_refused("\"abc", 4, "expected the end of a string, got the end of the file");
  check_skip_refused("\"abc\\", 5, "the end of a string");
  check_skip_refused("nul", 0, "expected a finite number");
  check_skip_refused("1 1", 2, "expected the end of the file");
}

TEST_CASE("json_cursor: depth is limited, whatever the file's size") {
  check_skipped(std::string(64, '[') + std::string(64, ']'));
  check_skip_refused(std::string(65, '[') + std::string(65, ']'), 64, "at most 64 deep");
  check_skip_refused(std::string(1000000, '['), 64, "at most 64 deep");
  std::string objects;
  for (int i = 0; i < 100000; ++i) {
    objects += "{\"a\":";
  }
  check_skip_refused(objects, 64 * 5, "at most 64 deep");
}

TEST_CASE("json_cursor: numbers that are none, not finite or out of range") {
  for (const char* bad : {"nan", "NaN", "inf", "-inf", "-nan", "Infinity", "1e999", "+1", "\"1\"", "true", "[]", "-"}) {
    check_refused(bad, 0, "expected a finite number", [](json_cursor& json) { json.number<double>(); });
    check_refused(bad, 0, "expected a finite number", [](json_cursor& json) { json.number<float>(); });
  }
  for (const char* bad : {"1.0", "1e3", "2147483648", "-2147483649", "x", ""}) {
    check_refused(bad, 0, "expected an integer", [](json_cursor& json) { json.number<std::int32_t>(); });
  }
  check_refused("1e39", 0, "expected a finite number", [](json_cursor& json) { json.number<float>(); });
  check_refused("2", 1, "expected true, false, 1 or 0", [](json_cursor& json) { json.boolean(); });
  check_refused("maybe", 0, "expected an integer", [](json_cursor& json) { json.boolean(); });
}

TEST_CASE("json_cursor: numbers as JSON writes them, and no others; a byte order mark") {
  for (const char* bad :
       {"[00]", "[01]", "[-01]", "[1.]", "[1.e5]", "[.5]", "[-.5]", "[+1]", "[-]", "[1e]", "[0x10]"}) {
    INFO(bad);
    CHECK_THROWS_AS(numbers<double>(bad), format_error);
    CHECK_THROWS_AS(numbers<int>(bad), format_error);
    CHECK_THROWS_AS(check_skipped(bad), format_error);
  }
  CHECK(numbers<double>("[0, -0, 0.5, 10, 1e05, 0e1, 0.00]") == std::vector<double>{0, 0, 0.5, 10, 1e5, 0, 0});
  CHECK(numbers<int>("\xEF\xBB\xBF[0, 10]") == std::vector<int>{0, 10});
  CHECK_THROWS_AS(numbers<int>("\xEF\xBB[0]"), format_error);
}
