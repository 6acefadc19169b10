// SPDX-License-Identifier: MIT
// On a device with one multiprocessor a block makes many ego-graphs, one after another.
#include <catch2/catch.hpp>
#include <vector>

#include "cuda/support/graphs.hpp"
#include "cuda/support/schedules.hpp"
#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/cuda/ego_graphs.hpp"
#include "runtime/control.hpp"

namespace gp = graphpatcher;
using gp::test::node_id;

namespace {

struct one_multiprocessor {
  one_multiprocessor() {
    auto properties = gpu_host::default_device_properties();
    properties.multiProcessorCount = 1;
    gpu_host::set_device_properties(properties);
  }
  ~one_multiprocessor() { gpu_host::set_device_properties(gpu_host::default_device_properties()); }
};

}  // namespace

TEST_CASE("blocks that make ego-graphs one after another", "[cuda]") {
  const one_multiprocessor device;
  const gp::cuda exec;
  const auto graph = GENERATE(gp::test::ring(200), gp::test::star(1100));  // built in shared and in global memory
  auto anchors = gp::test::every_node(graph);
  anchors.resize(graph.nodes() > 1000 ? 6 : 80);
  const gp::device_graph<node_id> there(exec, graph);
  const auto plan = gp::plan_ego_batch<node_id>(exec, there, anchors);
  REQUIRE((plan.large > 0 ? plan.large > plan.large_blocks : plan.small > plan.small_blocks));
  const auto expected = gp::make_ego_batch(gp::cpu{1}, graph, anchors);
  gp::test::for_each_schedule([&] {
    const auto got = gp::to_host(exec, gp::make_ego_batch<node_id>(exec, there, anchors));
    CHECK((got.hop_offsets == expected.hop_offsets));
    CHECK((got.nodes == expected.nodes));
    CHECK((got.edge_offsets == expected.edge_offsets));
    CHECK((got.edge_sources == expected.edge_sources));
    CHECK((got.in_degree == expected.in_degree));
    CHECK((got.out_degree == expected.out_degree));
  });
}
