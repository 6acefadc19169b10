// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <catch2/catch.hpp>

using namespace bench;

TEST_CASE("the machine is described and its limits are of this world") {
  const machine here = this_machine();
  CHECK_FALSE(here.cpu.empty());
  CHECK(here.cores >= 1);
  CHECK_FALSE(here.compiler.empty());

  // A core does at least 1 GFLOP/s, and none starts more than 4 operations of 32 lanes at 10 GHz.
  const auto [peak, best] = measure_fma_peak(1);
  CHECK(peak > 1e9);
  CHECK(best >= peak);
  CHECK(peak < 2 * 4 * 32 * 1e10);
  // From memory: slower than registers, faster than a disk.
  const double bandwidth = measure_read_bandwidth(1);
  CHECK(bandwidth > 1e8);
  CHECK(bandwidth < 4 * peak);
}
