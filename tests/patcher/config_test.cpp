// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/config.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "graphpatcher/core/option_text.hpp"
#include "graphpatcher/patcher/config_words.hpp"

namespace gp = graphpatcher;

namespace {

/// Another value than `value`, which its option takes.
template <class Value>
Value other_than(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    const auto& words = gp::words_of<Value>();
    return words[0].second == value ? words[1].second : words[0].second;
  } else if constexpr (std::same_as<Value, bool>) {
    return !value;
  } else if constexpr (std::integral<Value> || std::floating_point<Value>) {
    return value + 1 / Value(4) + (std::integral<Value> ? 1 : 0);
  } else {
    return {0.75, 0.125};
  }
}

}  // namespace

TEST_CASE("every option of the patcher is listed once, with a meaning", "[patcher]") {
  std::set<std::string> names;
  const gp::patcher_config config;
  gp::for_each_option(config, [&](const gp::option& o, const auto&) {
    INFO(o.name);
    CHECK(names.emplace(o.name).second);
    CHECK(o.meaning.size() >= 5);
    CHECK(o.name.find_first_of("- ") == std::string_view::npos);
  });
  // As many as there are members: a new one does not compile here until it is counted.
  [[maybe_unused]] const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                                m20, m21, m22, m23, m24, m25, m26, m27, m28] = config;
  std::size_t listed = 0;
  gp::patcher_config::list_options(config, [&](const gp::option&, const auto&) { ++listed; });
  CHECK(listed == 28);
}

TEST_CASE("every option of the patcher comes back from its text", "[patcher]") {
  gp::patcher_config changed;
  gp::for_each_option(changed, [](const gp::option&, auto& value) { value = other_than(value); });
  gp::patcher_config copied;
  gp::for_each_option(changed, [&](const gp::option& o, const auto& value) {
    gp::set_option(copied, gp::typed_name(o.name), gp::option_text(value));
  });
  CHECK(copied == changed);
  CHECK(copied.spread.steps == 3);
}

TEST_CASE("ranges of the patcher's options are checked by name", "[patcher]") {
  const auto refused = [](auto change, const std::string& words) {
    gp::patcher_config config;
    change(config);
    CHECK_THROWS_AS(config.check(), gp::argument_error);
    CHECK_THROWS_WITH(config.check(), words);
  };
  CHECK_NOTHROW(gp::patcher_config{}.check());
  refused([](auto& c) { c.hidden = 0; }, "patcher: expected hidden in [1, 1000000], got 0");
  refused([](auto& c) { c.dropout = 1; }, "patcher: expected dropout in [0, 1), got 1");
  refused([](auto& c) { c.strengths = {1.5}; }, "patcher: expected strengths in [0, 1], got 1.5");
  refused([](auto& c) { c.strengths = {}; },
          "patcher: expected at least one corruption strength in strengths, got none");
  refused([](auto& c) { c.strengths = {0.3, 0.3}; }, "patcher: expected decreasing strengths, got 0.3 after 0.3");
  refused([](auto& c) { c.learning_rate = 0; }, "patcher: expected learning_rate > 0, got 0");
  refused([](auto& c) { c.learning_rate = std::nan(""); }, "patcher: expected learning_rate > 0, got nan");
  refused([](auto& c) { c.spread.weight = 0; }, "patcher: expected spread_weight > 0, got 0");
  refused([](auto& c) { c.spread.steps = 0; }, "patcher: expected spread_steps in [1, 1000000], got 0");
}

TEST_CASE("docs/options.md has every option as it is", "[patcher]") {
  std::ifstream page(GP_SOURCE_DIR "/docs/options.md");
  REQUIRE(page);
  std::map<std::string, std::string> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) {
      rows[line.substr(3, line.find('`', 3) - 3)] = line;
    }
  }
  const gp::patcher_config defaults;
  gp::for_each_option(defaults, [&](const gp::option& o, const auto& value) {
    const std::string range = o.range.words();
    const std::string row =
        gp::text("| `", gp::typed_name(o.name), "` | ", gp::option_values<decltype(value)>(), range.empty() ? "" : " ",
                 range, " | ", gp::option_text(value), " | ", o.meaning, " |");
    CHECK(rows[std::string(gp::typed_name(o.name))] == row);
  });
  CHECK(rows.size() == 31);
}
