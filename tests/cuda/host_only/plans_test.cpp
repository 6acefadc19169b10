// SPDX-License-Identifier: MIT
// A device with exactly the memory that a plan names is enough; for a plan without slack, a byte less is not.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <vector>

#include "cuda/support/graphs.hpp"
#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/cuda/corrupted_logits.hpp"
#include "graphpatcher/cuda/ego_graphs.hpp"
#include "graphpatcher/ops/corrupted_logits.hpp"
#include "runtime/control.hpp"
#include "support/slow_graph.hpp"

namespace gp = graphpatcher;
using gp::test::node_id;

namespace {

/// Makes executors take exactly what they are asked for from the device, and give it back at once.
struct without_pool {
  without_pool() { setenv("GRAPHPATCHER_NO_POOL", "1", 1); }
  ~without_pool() { unsetenv("GRAPHPATCHER_NO_POOL"); }
};

/// A device with `bytes` bytes more than are in use.
struct bytes_left {
  explicit bytes_left(std::size_t bytes) {
    for (const auto& block : gpu_host::live_allocations()) {
      bytes += block.space == gpu_host::memory_space::device ? block.bytes : 0;
    }
    gpu_host::set_memory_limit(bytes);
  }
  ~bytes_left() { gpu_host::set_memory_limit(std::numeric_limits<std::size_t>::max()); }
};

}  // namespace

TEST_CASE("ego-graphs fit into the memory of their plan", "[cuda]") {
  const without_pool exact;
  const gp::cuda exec;
  const auto graph = GENERATE(gp::test::ring(300), slow::random_graph<node_id>(1500, 3000, 7));
  auto anchors = gp::test::every_node(graph);
  anchors.resize(12);
  const gp::device_graph<node_id> there(exec, graph);
  const auto plan = gp::plan_ego_batch<node_id>(exec, there, anchors);
  const bytes_left planned(plan.workspace_bytes + plan.result_bytes);
  CHECK_NOTHROW(gp::make_ego_batch<node_id>(exec, there, anchors));
}

TEST_CASE("the workspace of ego-graphs is needed to the last byte", "[cuda]") {
  const without_pool exact;
  const gp::cuda exec;
  const auto graph = gp::build_graph<node_id>(9, std::vector<gp::edge<node_id>>{});  // bounds are what comes out
  const auto anchors = gp::test::every_node(graph);
  const gp::device_graph<node_id> there(exec, graph);
  const auto plan = gp::plan_ego_batch<node_id>(exec, there, anchors);
  const std::size_t sums = sizeof(std::uint64_t);  // of one tile, given back before the result is allocated
  {
    const bytes_left planned(plan.workspace_bytes + plan.result_bytes - sums);
    CHECK_NOTHROW(gp::make_ego_batch<node_id>(exec, there, anchors));
  }
  const bytes_left fewer(plan.workspace_bytes + plan.result_bytes - sums - 1);
  CHECK_THROWS_AS(gp::make_ego_batch<node_id>(exec, there, anchors), gp::out_of_memory_error);
}

TEST_CASE("corrupted logits need what their plan names, to the last byte", "[cuda]") {
  const without_pool exact;
  const gp::cuda exec;
  const gp::device_graph<node_id> graph(exec, gp::test::ring(20));
  const gp::matrix<float> projected(exec, 20, 8);
  const gp::matrix<float> weight(exec, 8, 3);
  const gp::matrix<float> bias(exec, 1, 8);
  gp::matrix<float> mean(exec, 20, 3);
  const gp::frozen_gcn<float> model{projected.view(), {bias.data(), 8}, weight.view(), {bias.data(), 3}};
  const auto anchors = gp::test::every_node(gp::test::ring(20));
  const gp::corrupted_answers<float> answers{.mean_probabilities = mean.view()};
  const auto plan = gp::backend::plan_corrupted_logits<float, float, node_id>(exec, model, 20, 2, answers);
  const auto run = [&] { gp::corrupted_logits(exec, graph.view(), model, anchors, {.samples = 2}, answers); };
  {
    const bytes_left planned(plan.workspace_bytes);
    CHECK_NOTHROW(run());
  }
  const bytes_left fewer(plan.workspace_bytes - 1);
  CHECK_THROWS_AS(run(), gp::out_of_memory_error);
}
