// SPDX-License-Identifier: MIT
// Kernels over edges read the rows of their columns once, also where the columns fill the lanes of a group.
#include <catch2/catch.hpp>
#include <cstddef>
#include <span>
#include <vector>

#include "cuda/support/hubs.hpp"
#include "engine.hpp"
#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/ops/segment_reduce.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;

namespace {

/// 32-byte sectors that the one launch of `work` reads.
template <class Work>
std::size_t sectors_read(const gp::cuda& exec, Work&& work) {
  exec.synchronize();
  gpu_host::take_costs();
  gpu_host::current_settings().count = true;
  work();
  exec.synchronize();
  gpu_host::current_settings().count = false;
  const auto launches = gpu_host::take_costs();
  REQUIRE(launches.size() == 1);
  return launches[0].global_load.sectors;
}

}  // namespace

TEST_CASE("sums and maxima over edges read no more where the columns fill the lanes of a group", "[cuda]") {
  const gp::cuda exec;
  const auto graph = gp::test::messages_of_degrees<int>(std::vector<std::size_t>(32, 8), 32, 32);
  const auto block = graph.all();
  block.both_ways_on(exec);
  const auto sectors = [&](std::size_t width) -> std::vector<std::size_t> {
    const auto x = random_input::values<float>(32, width, 1).copy_on(exec);
    auto out = random_input::values<float>(32, width, 2).copy_on(exec);
    gp::matrix<int> winners(exec, 32, width);
    const std::span<int> all_winners(winners.data(), winners.size());
    return {sectors_read(exec, [&] { gp::spmm(exec, block, {}, x, out.view()); }),
            sectors_read(exec, [&] { gp::spmm_adjoint(exec, block, {}, x, out.view()); }),
            sectors_read(exec, [&] { gp::segment_max(exec, block, x, all_winners, out.view()); }),
            sectors_read(exec, [&] { gp::segment_max_adjoint<float, int>(exec, block, all_winners, x, out.view()); })};
  };
  const std::size_t full = GENERATE(32, 64, 128);  // a tile of 8, 16 and 32 lanes, a pack each
  const auto expected = sectors(full - 4);         // a lane has nothing to do
  const auto got = sectors(full);
  for (std::size_t k = 0; k < got.size(); ++k) {
    INFO("operation " << k << ", " << full << " columns");
    CHECK(got[k] * (full - 4) <= expected[k] * full * 5 / 4);
  }
}
