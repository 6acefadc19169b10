// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/detail/run_settings.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include <vector>

#include <catch2/catch.hpp>

#include "graphpatcher/patcher/config_words.hpp"

using namespace graphpatcher;

TEST_CASE("settings keep their type, their order and their last value") {
  run_settings settings;
  settings.set("hidden", std::size_t{64});
  settings.set("quiet", true);
  settings.set("learning_rate", 0.1f);
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

TEST_CASE("variants and lists are kept as they are typed") {
  run_settings settings;
  settings.set("loss", patch_loss::paper);
  settings.set("strengths", std::vector{0.9, 0.6});
  CHECK(std::get<std::string>(settings.entries()[0].second) == "paper");
  CHECK(std::get<std::string>(settings.entries()[1].second) == "0.9,0.6");
}

TEST_CASE("two runs differ in the first option that both know") {
  run_settings before, now;
  before.set("hidden", 64);
  before.set("batch", 32);
  now.set("epsilon", 0.5);
  now.set("batch", 32);
  CHECK_FALSE(first_difference(before, now));
  now.set("hidden", 128);
  const auto difference = first_difference(before, now);
  REQUIRE(difference);
  CHECK(difference->name == "hidden");
  CHECK(difference->before == "64");
  CHECK(difference->now == "128");
}

TEST_CASE("settings as text") {
  CHECK(setting_text(true) == "true");
  CHECK(setting_text(std::int64_t{-3}) == "-3");
  CHECK(setting_text(0.0005) == "0.0005");
  CHECK(setting_text(std::string("a b")) == "a b");
}
