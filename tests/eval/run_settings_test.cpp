// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/run_settings.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include <catch2/catch.hpp>

using namespace graphpatcher;

TEST_CASE("settings keep their type, their order and their last value") {
  run_settings settings;
  settings.set("hidden", std::size_t{64});
  settings.set("quiet", true);
  settings.set("lr", 0.1f);
  settings.set("loss", "paper");
  settings.set("degree", std::string_view("graph"));
  settings.set("hidden", 128);
  REQUIRE(settings.entries().size() == 5);
  CHECK(settings.entries()[0].first == "hidden");
  CHECK(std::get<std::int64_t>(settings.entries()[0].second) == 128);
  CHECK(std::get<bool>(settings.entries()[1].second));
  CHECK(std::get<double>(settings.entries()[2].second) == 0.1);
  CHECK(std::get<std::string>(settings.entries()[3].second) == "paper");
  CHECK(std::get<std::string>(settings.entries()[4].second) == "graph");
}

TEST_CASE("a number above 63 bits is kept as its digits") {
  run_settings settings;
  settings.set("seed", std::numeric_limits<std::uint64_t>::max());
  CHECK(setting_text(settings.entries()[0].second) == "18446744073709551615");
}

TEST_CASE("settings as text") {
  CHECK(setting_text(true) == "true");
  CHECK(setting_text(std::int64_t{-3}) == "-3");
  CHECK(setting_text(0.0005) == "0.0005");
  CHECK(setting_text(std::string("a b")) == "a b");
}
