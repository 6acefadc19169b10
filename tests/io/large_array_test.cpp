// SPDX-License-Identifier: MIT
#include "io/large_array.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace graphpatcher;

TEMPLATE_TEST_CASE("large_array: zeros of any number, by any number of threads", "", std::int32_t, double) {
  for (const std::size_t count : {0u, 1u, 1000u, (1u << 20) + 7, (1u << 22) + 1}) {
    for (const int threads : {1, 2}) {
      auto values = detail::zeros<TestType>({threads}, count);
      REQUIRE(values.size() == count);
      CHECK(std::all_of(values.begin(), values.end(), [](TestType value) { return value == TestType(0); }));
      std::fill(values.begin(), values.end(), TestType(7));  // so that the next array doesn't find zeros by chance
    }
  }
}

TEST_CASE("large_array: memory that is asked for keeps what is in it, whatever its place") {
  std::vector<char> bytes(std::size_t{9} << 20, 'x');
  for (const std::size_t begin : {0u, 1u, 4096u}) {
    detail::want_large_pages({2}, bytes.data() + begin, bytes.size() - begin);
    CHECK(std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 'x'; }));
  }
}
