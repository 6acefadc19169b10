// SPDX-License-Identifier: MIT
// Every file that fuzzers start from, read once: the good ones are taken, the bad ones get the error that they should.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "fuzz/corpus/corpus.hpp"
#include "fuzz/targets/targets.hpp"
#include "graphpatcher/core/error.hpp"

namespace {

const gp_fuzz::target& target_of(const gp_fuzz::corpus_case& each) {
  const auto* const found = std::find_if(gp_fuzz::targets.begin(), gp_fuzz::targets.end(),
                                         [&](const auto& target) { return each.target == target.name; });
  REQUIRE(found != gp_fuzz::targets.end());
  return *found;
}

void read(const gp_fuzz::corpus_case& each) {
  target_of(each).read({reinterpret_cast<const std::uint8_t*>(each.content.data()), each.content.size()});
}

}  // namespace

TEST_CASE("hostile files get a typed error that says what is wrong, good ones are read", "[fuzz]") {
  for (const auto& each : gp_fuzz::all_cases()) {
    INFO(each.target << "/" << each.name);
    if (each.refusal.empty()) {
      CHECK_NOTHROW(read(each));
      continue;
    }
    try {
      read(each);
      FAIL_CHECK("no error, expected: " << each.refusal);
    } catch (const graphpatcher::error& failure) {
      CHECK_THAT(failure.what(), Catch::Contains(each.refusal));
    }
  }
}

TEST_CASE("every file cut short anywhere is read or refused, nothing else", "[fuzz]") {
  for (const auto& each : gp_fuzz::all_cases()) {
    const std::size_t step = 1 + each.content.size() / 64;
    for (std::size_t size = 0; size < each.content.size(); size += step) {
      INFO(each.target << "/" << each.name << " cut to " << size << " bytes");
      try {
        read({each.target, each.name, each.content.substr(0, size), {}});
      } catch (const graphpatcher::error&) {
        continue;  // anything else ends the test
      }
    }
  }
}

TEST_CASE("every target has good and bad files, each under a name of its own", "[fuzz]") {
  std::set<std::pair<std::string, std::string>> names;
  std::set<std::string> good;
  std::set<std::string> bad;
  for (const auto& each : gp_fuzz::all_cases()) {
    INFO(each.target << "/" << each.name);
    CHECK(names.emplace(each.target, each.name).second);
    (each.refusal.empty() ? good : bad).insert(each.target);
  }
  CHECK(good.size() == gp_fuzz::targets.size());
  CHECK(bad.size() == gp_fuzz::targets.size());
}
