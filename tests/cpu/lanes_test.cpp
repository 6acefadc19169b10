// SPDX-License-Identifier: MIT
#include "graphpatcher/cpu/lanes.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <memory>
#include <vector>

namespace be = graphpatcher::backend;

namespace {

/// body(lanes) for every width of vectors from 16 bytes to the machine's.
template <class T, std::size_t Lanes = 16 / sizeof(T), class Body>
void for_each_width(const Body& body) {
  body(std::integral_constant<std::size_t, Lanes>{});
  if constexpr (2 * Lanes <= be::vector_lanes<T>) {
    for_each_width<T, 2 * Lanes>(body);
  }
}

template <class T>
std::vector<T> ascending(std::size_t count, int first) {
  std::vector<T> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = static_cast<T>(first + static_cast<int>(i));
  }
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("load_first and store_first touch so many numbers and no other", "", float, double) {
  for_each_width<TestType>([](auto lanes) {
    for (std::size_t count = 0; count <= lanes; ++count) {
      const auto from = ascending<TestType>(count, 1);  // exactly so many: a sanitizer sees what is read beyond
      const auto v = be::load_first<lanes>(from.data(), count, TestType(-7));
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        CHECK(v[lane] == (lane < count ? static_cast<TestType>(lane + 1) : TestType(-7)));
      }
      std::vector<TestType> to(count + 4, TestType(-1));
      be::store_first(to.data() + 2, v, count);
      auto want = ascending<TestType>(count + 4, -1);
      want[0] = want[1] = want[count + 2] = want[count + 3] = -1;
      CHECK(to == want);
      const auto exact = std::make_unique<TestType[]>(count);
      be::store_first(exact.get(), v, count);
      CHECK(std::equal(from.begin(), from.end(), exact.get()));
    }
  });
}

TEMPLATE_TEST_CASE("lanes_sum and lanes_max: of all lanes and of those a period apart", "", float, double) {
  for_each_width<TestType>([](auto lanes) {
    const auto numbers = ascending<TestType>(lanes, -1);
    const auto v = be::load<lanes>(numbers.data());
    const auto all = be::lanes_sum(v);
    const auto even_and_odd = be::lanes_sum<2>(v);
    TestType sums[2] = {};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane % 2] += numbers[lane];
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      CHECK(all[lane] == sums[0] + sums[1]);
      CHECK(even_and_odd[lane] == sums[lane % 2]);
      CHECK(be::lanes_max(v)[lane] == static_cast<TestType>(lanes) - 2);
      CHECK(be::lanes_max<2>(v)[lane] == static_cast<TestType>(lanes) - (lane % 2 == 0 ? 3 : 2));
      CHECK(be::lanes_max<lanes>(v)[lane] == numbers[lane]);
    }
  });
}

TEST_CASE("with_lanes: the narrowest vector that holds a row, for longer ones the machine's") {
  const auto lanes_for = [](std::size_t count) {
    return be::with_lanes<float>(count, [](auto lanes) { return std::size_t{lanes}; });
  };
  CHECK(lanes_for(1) == 4);
  CHECK(lanes_for(4) == 4);
  CHECK(lanes_for(5) == std::min<std::size_t>(8, be::vector_lanes<float>));
  CHECK(lanes_for(8) == std::min<std::size_t>(8, be::vector_lanes<float>));
  CHECK(lanes_for(1000) == be::vector_lanes<float>);
}

TEST_CASE("for_each_vector: full vectors, then what is left") {
  std::vector<std::size_t> seen;
  be::for_each_vector<4>(11, [&](std::size_t first, std::size_t count) { seen.insert(seen.end(), {first, count}); });
  CHECK(seen == std::vector<std::size_t>{0, 4, 4, 4, 8, 3});
  seen.clear();
  be::for_each_vector<4>(8, [&](std::size_t first, std::size_t count) { seen.insert(seen.end(), {first, count}); });
  CHECK(seen == std::vector<std::size_t>{0, 4, 4, 4});
}
