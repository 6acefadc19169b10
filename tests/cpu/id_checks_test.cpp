// SPDX-License-Identifier: MIT
#include "graphpatcher/cpu/id_checks.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace be = graphpatcher::backend;

namespace {

template <class I>
std::span<const I> span_of(const std::vector<I>& values) {
  return values;
}

}  // namespace

// Lengths around those of a vector and of a turn of four: a wrong one is found wherever it stands.
TEMPLATE_TEST_CASE("ids_are_below: finds the one id that is outside, at every place", "", std::int32_t, std::int64_t) {
  using I = TestType;
  constexpr I largest = std::numeric_limits<I>::max();
  constexpr I lowest = std::numeric_limits<I>::min();
  for (const std::size_t length : {1, 3, 15, 16, 17, 63, 64, 65, 200}) {
    std::vector<I> ids(length, I(9));
    CAPTURE(length);
    CHECK(be::ids_are_below<I>(span_of(ids), 10));
    CHECK_FALSE(be::ids_are_below<I>(span_of(ids), 9));
    CHECK_FALSE(be::ids_are_below<I>(span_of(ids), 0));
    for (std::size_t at = 0; at < length; ++at) {
      for (const I wrong : {I(10), I(-1), largest, lowest}) {
        ids[at] = wrong;
        REQUIRE_FALSE(be::ids_are_below<I>(span_of(ids), 10));
      }
      ids[at] = 0;
      REQUIRE(be::ids_are_below<I>(span_of(ids), 10));
      ids[at] = 9;
    }
  }
}

TEMPLATE_TEST_CASE("ids_are_below: none, the ends of the type, and -1 where it is allowed", "", std::int32_t,
                   std::int64_t) {
  using I = TestType;
  constexpr I largest = std::numeric_limits<I>::max();
  constexpr auto all = static_cast<std::size_t>(largest);
  CHECK(be::ids_are_below<I>({}, 0));
  const std::vector<I> ends{0, largest};
  CHECK(be::ids_are_below<I>(span_of(ends), all + 1));
  CHECK(be::ids_are_below<I>(span_of(ends), std::numeric_limits<std::size_t>::max()));
  CHECK_FALSE(be::ids_are_below<I>(span_of(ends), all));

  const std::vector<I> absent{-1, 4, -1};
  CHECK(be::ids_are_below<I>(span_of(absent), 5, -1));
  CHECK_FALSE(be::ids_are_below<I>(span_of(absent), 4, -1));
  CHECK_FALSE(be::ids_are_below<I>(span_of(absent), 5));
  const std::vector<I> below{-2};
  CHECK_FALSE(be::ids_are_below<I>(span_of(below), 5, -1));
  const std::vector<I> only{-1};
  CHECK(be::ids_are_below<I>(span_of(only), 0, -1));
}

TEMPLATE_TEST_CASE("offsets_rise: finds a fall at every place, and one so deep that it wraps", "", std::int32_t,
                   std::int64_t) {
  using I = TestType;
  CHECK(be::offsets_rise<I>({}));
  const std::vector<I> one{0};
  CHECK(be::offsets_rise<I>(span_of(one)));
  for (const std::size_t length : {2, 16, 17, 65, 66, 200}) {
    std::vector<I> offsets(length);
    for (std::size_t i = 0; i < length; ++i) {
      offsets[i] = static_cast<I>(3 * (i / 2));  // equal neighbours are empty rows
    }
    CAPTURE(length);
    CHECK(be::offsets_rise<I>(span_of(offsets)));
    for (std::size_t at = 1; at < length; ++at) {
      const I right = offsets[at];
      for (const I wrong : {static_cast<I>(offsets[at - 1] - 1), I(-1), std::numeric_limits<I>::min()}) {
        offsets[at] = wrong;
        REQUIRE_FALSE(be::offsets_rise<I>(span_of(offsets)));
      }
      offsets[at] = right;
    }
  }
}
