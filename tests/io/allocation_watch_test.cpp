// SPDX-License-Identifier: MIT
#include "support/allocation_watch.hpp"

#include <catch2/catch.hpp>
#include <new>
#include <vector>

TEST_CASE("allocation watch: sees what a vector asks for, has and gives back") {
  gp_test::largest_request = 0;
  const std::size_t before = gp_test::live_bytes;
  gp_test::peak_bytes = before;
  {
    const std::vector<char> block(1 << 20);
    CHECK(gp_test::largest_request >= block.size());
    CHECK(gp_test::live_bytes >= before + block.size());
  }
  CHECK(gp_test::live_bytes < before + 1000);
  CHECK(gp_test::peak_bytes >= before + (1 << 20));
}

TEST_CASE("allocation watch: fails when it is told to, until it is told otherwise") {
  std::vector<int> a;
  std::vector<int> b;
  bool first = true;
  bool second = true;
  bool reached = false;
  {
    const gp_test::failing_allocations failing(1);
    try {
      a.resize(10);
      first = false;
      b.resize(10);
      second = false;
    } catch (const std::bad_alloc&) {
    }
    reached = failing.reached();
  }
  CHECK_FALSE(first);
  CHECK(second);
  CHECK(reached);
  b.resize(10);
  CHECK(b.size() == 10);
}

TEST_CASE("allocation watch: fails once if that is what it is told") {
  std::vector<int> a;
  const gp_test::failing_allocations failing(0, gp_test::failures::one);
  CHECK_THROWS_AS(a.resize(10), std::bad_alloc);
  CHECK_NOTHROW(a.resize(10));
  CHECK(failing.reached());
}
