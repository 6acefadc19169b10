// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/peak_memory.hpp"

#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>

TEST_CASE("peak memory grows by what is touched") {
  const double before = graphpatcher::peak_rss_mb();
  CHECK(before > 0.5);
  CHECK(before < 1e6);
  const std::size_t megabytes = static_cast<std::size_t>(before) + 64;
  std::vector<char> block(megabytes << 20, 1);
  const double after = graphpatcher::peak_rss_mb();
  CHECK(block[megabytes] == 1);
  CHECK(after >= static_cast<double>(megabytes));
  CHECK(after >= before);
}
