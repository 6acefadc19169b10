// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/position_map.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <random>

namespace gp = graphpatcher;

TEMPLATE_TEST_CASE("a position map behaves like std::map, through growth and clearing", "[graph]", std::int32_t,
                   std::int64_t) {
  using I = TestType;
  std::mt19937 random(4);
  gp::position_map<I> positions;
  for (const I range : {I(20), I(3000), I(10)}) {  // 3000 ids grow the table; later rounds reuse it
    positions.clear();
    std::map<I, I> expected;
    std::uniform_int_distribution<I> pick(0, range);
    for (I i = 0; i < 2 * range; ++i) {
      const I id = pick(random);
      REQUIRE(positions.insert(id, i) == expected.emplace(id, i).second);
    }
    for (I id = 0; id <= range; ++id) {
      const auto found = expected.find(id);
      REQUIRE(positions.find(id) == (found == expected.end() ? I(-1) : found->second));
    }
    positions.move(expected.begin()->first, range + 7);
    CHECK(positions.find(expected.begin()->first) == range + 7);
  }
  positions.clear();
  CHECK(positions.find(3) == -1);
}
