// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/distinct_egos.hpp"

#include <catch2/catch.hpp>

namespace gp = graphpatcher;
using mask = std::vector<std::uint8_t>;

TEST_CASE("equal masks of an ego-graph stand once, those of another for themselves", "[graph]") {
  const mask both{1, 1};
  const mask same{1, 1};
  const mask one{1, 0};
  const mask none;
  const std::vector<gp::masked_ego> pairs{{0, both}, {0, one}, {0, same}, {0, one}, {1, both}, {1, both}, {2, none}};
  const gp::distinct_egos distinct(pairs);
  CHECK(std::vector<std::int32_t>(distinct.which().begin(), distinct.which().end()) ==
        std::vector<std::int32_t>{0, 1, 0, 1, 2, 2, 3});
  REQUIRE(distinct.egos().size() == 4);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto& found = distinct.egos()[static_cast<std::size_t>(distinct.which()[p])];
    CHECK(found.ego == pairs[p].ego);
    CHECK(std::ranges::equal(found.keep, pairs[p].keep));
  }

  gp::distinct_egos growing;
  CHECK(growing.add({0, both}));
  CHECK_FALSE(growing.add({0, same}));
  CHECK(growing.add({1, same}));
  growing.clear();
  CHECK(growing.which().empty());
  CHECK(growing.add({1, same}));
}
