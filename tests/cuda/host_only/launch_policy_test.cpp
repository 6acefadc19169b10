// SPDX-License-Identifier: MIT
// How large grids are, by compute capability, and that results don't depend on it.
#include <catch2/catch.hpp>
#include <vector>

#include "cuda/support/graphs.hpp"
#include "engine.hpp"
#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/cuda/ego_graphs.hpp"
#include "graphpatcher/ops/elementwise.hpp"
#include "kernels/runtime/capability.hpp"
#include "runtime/control.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using gp::kernels::limits_of;
using gp::kernels::resident_blocks;
using gp::test::node_id;

namespace {

/// One multiprocessor of a compute capability.
struct device_of {
  explicit device_of(int capability) {
    auto properties = gpu_host::default_device_properties();
    properties.multiProcessorCount = 1;
    properties.major = capability / 10;
    properties.minor = capability % 10;
    gpu_host::set_device_properties(properties);
    gpu_host::current_settings().count = true;
    gpu_host::take_costs();
  }
  ~device_of() {
    gpu_host::current_settings().count = false;
    gpu_host::set_device_properties(gpu_host::default_device_properties());
  }
};

}  // namespace

TEST_CASE("launch policy: what fits a multiprocessor", "[cuda]") {
  STATIC_REQUIRE(resident_blocks(75, 256, 0) == 4);  // 1024 threads
  STATIC_REQUIRE(resident_blocks(80, 256, 0) == 8);  // 2048
  STATIC_REQUIRE(resident_blocks(86, 256, 0) == 6);  // 1536
  STATIC_REQUIRE(resident_blocks(120, 256, 0) == 6);
  // By shared memory: 64 KiB, all of it the program's; later 100, 164 and 228, of which a block costs 1 more.
  STATIC_REQUIRE(resident_blocks(75, 128, 32 * 1024) == 2);
  STATIC_REQUIRE(resident_blocks(89, 128, 32 * 1024) == 3);
  STATIC_REQUIRE(resident_blocks(80, 128, 40 * 1024) == 4);
  STATIC_REQUIRE(resident_blocks(90, 128, 40 * 1024) == 5);
  STATIC_REQUIRE(resident_blocks(75, 128, 48 * 1024) == 1);
  STATIC_REQUIRE(resident_blocks(75, 1024, 65 * 1024) == 1);  // as if it fitted: the launch will say that it doesn't
  STATIC_REQUIRE(limits_of(121).threads == limits_of(120).threads);
  STATIC_REQUIRE(limits_of(103).shared_bytes == limits_of(100).shared_bytes);
}

TEST_CASE("launch policy: elementwise kernels start two rounds of blocks", "[cuda]") {
  const auto [capability, blocks] = GENERATE(table<int, unsigned>({{75, 8}, {80, 16}, {86, 12}, {90, 16}, {120, 12}}));
  const device_of device(capability);
  const gp::cuda exec;
  // Rows with a gap, so that they are not taken as one long row. Threads of 16 blocks walk on twice, in a step and in
  // rows.
  const auto x = random_input::values<float>(1000, 11, 1);
  gp::matrix<float> y(exec, 1000, 10);
  const auto there = x.copy_on(exec);
  exec.synchronize();
  gpu_host::take_costs();
  gp::copy(exec, gp::matrix_view<const float>(there.data(), 1000, 10, 11), y.view());
  exec.synchronize();
  const auto launches = gpu_host::take_costs();
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].shape.grid.x == blocks);
  CHECK(launches[0].shape.block.x == 256);
  const auto back = y.copy_on(gp::cpu{});
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < 1000; ++r) {
    for (std::size_t c = 0; c < 10; ++c) {
      wrong += back(r, c) != x(r, c);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("launch policy: tables in global memory for as many ego-graphs as run at once", "[cuda]") {
  // A block has 20 KiB of shared memory: 3 fit into 64 KiB; where 4 and more would fit, 4 are certain of their
  // registers.
  const auto [capability, blocks] = GENERATE(table<int, std::size_t>({{75, 3}, {80, 4}, {86, 4}, {120, 4}}));
  const device_of device(capability);
  const gp::cuda exec;
  const auto graph = gp::test::star(1100);
  const gp::device_graph<node_id> there(exec, graph);
  const std::vector<node_id> anchors{0, 1, 2, 3, 4, 5};
  CHECK(gp::plan_ego_batch<node_id>(exec, there, anchors).large_blocks == blocks);
}
