// SPDX-License-Identifier: MIT
// Ego-graphs made on a GPU: element for element those of the CPU.
#include "graphpatcher/cuda/ego_graphs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <span>
#include <vector>

#include "cuda/support/gpu.hpp"
#include "cuda/support/graphs.hpp"
#include "cuda/support/pool.hpp"
#include "support/errors.hpp"
#include "support/slow_graph.hpp"

namespace gp = graphpatcher;
using gp::test::every_node;
using gp::test::for_each_schedule;
using gp::test::gpu;
using gp::test::node_id;

namespace {

using graph_type = gp::csr_graph<node_id>;

constexpr std::size_t shared_nodes = 1024;  ///< ego-graphs up to this bound are built in shared memory
constexpr std::size_t scan_tile = 2048;     ///< values a block sums up; one block of 256 threads sums up the tiles

/// One launch, every array against the CPU's. Vectors are compared as a whole: nobody reads a list of 10,000 ids.
void check_once(const gp::device_graph<node_id>& there, std::span<const node_id> anchors,
                const gp::ego_batch<node_id>& expected) {
  const auto batch = gp::make_ego_batch<node_id>(gpu(), there, anchors, {.hops = expected.hops});
  const auto got = gp::to_host(gpu(), batch);
  CHECK(got.hops == expected.hops);
  CHECK(got.size() == expected.size());
  CHECK((got.anchors == expected.anchors));
  CHECK((got.hop_offsets == expected.hop_offsets));
  CHECK((got.nodes == expected.nodes));
  CHECK((got.edge_offsets == expected.edge_offsets));
  CHECK((got.edge_sources == expected.edge_sources));
  CHECK((got.in_degree == expected.in_degree));
  CHECK((got.out_degree == expected.out_degree));

  std::vector<std::uint64_t> neighbors{0};
  for (std::size_t b = 0; b < expected.size(); ++b) {
    neighbors.push_back(neighbors.back() + expected.neighbors(b).size());
  }
  const std::span<const std::uint64_t> offsets(batch.neighbor_offsets.data(), batch.neighbor_offsets.size());
  CHECK((gp::test::to_host(offsets) == neighbors));
  CHECK(batch.neighbors == neighbors.back());
}

void check_schedules(const graph_type& graph, std::span<const node_id> anchors, std::size_t hops) {
  INFO(graph.nodes() << " nodes, " << anchors.size() << " anchors, " << hops << " hops");
  const auto expected = gp::make_ego_batch(gp::cpu{1}, graph, anchors, {.hops = hops});
  const gp::device_graph<node_id> there(gpu(), graph, hops);
  for_each_schedule([&] { check_once(there, anchors, expected); });
}

std::size_t bytes_of(const gp::device_ego_batch<node_id>& batch) {
  return batch.anchors.bytes() + batch.hop_offsets.bytes() + batch.nodes.bytes() + batch.edge_offsets.bytes() +
         batch.edge_sources.bytes() + batch.in_degree.bytes() + batch.out_degree.bytes() +
         batch.neighbor_offsets.bytes();
}

}  // namespace

TEST_CASE("by hand: a path of four nodes, and one apart", "[cuda]") {
  const auto graph = gp::build_graph<node_id>(5, std::vector<gp::edge<node_id>>{{0, 1}, {1, 2}, {2, 3}});
  const gp::device_graph<node_id> there(gpu(), graph);
  const std::vector<node_id> anchors{1, 4};
  const auto batch = gp::to_host(gpu(), gp::make_ego_batch<node_id>(gpu(), there, anchors));
  CHECK(batch.hop_offsets == std::vector<node_id>{0, 1, 3, 4, 5, 5, 5});
  CHECK(batch.nodes == std::vector<node_id>{1, 0, 2, 3, 4});
  CHECK(batch.edge_offsets == std::vector<node_id>{0, 2, 3, 5, 6, 6});
  CHECK(batch.edge_sources == std::vector<node_id>{1, 2, 0, 0, 3, 2});
  CHECK(batch.in_degree == std::vector<node_id>{2, 1, 2, 1, 0});
  CHECK(batch.out_degree == batch.in_degree);
}

TEST_CASE("ego-graphs of every node of small graphs", "[cuda]") {
  const std::size_t hops = GENERATE(1, 2, 3);
  const auto graph =
      GENERATE(slow::random_graph<node_id>(33, 60, 1),              // a hub, two isolated nodes
               slow::random_graph<node_id>(50, 120, 2, true),       // directed
               slow::random_graph<node_id>(40, 90, 3, true, true),  // double edges
               gp::test::with_loops(slow::random_graph<node_id>(30, 50, 4)), gp::test::clique(34), gp::test::ring(7));
  auto anchors = every_node(graph);
  std::shuffle(anchors.begin(), anchors.end(), std::mt19937(5));  // results come in the order of the anchors
  check_schedules(graph, anchors, hops);
}

TEST_CASE("ego-graphs around the sizes of a warp, a block and shared memory", "[cuda]") {
  const node_id leaves = GENERATE(1, 31, 32, 33, 255, 256, 257, 1021, 1022, 1023);
  const auto graph = gp::test::star(leaves);  // leaves + 2 nodes: none of its ego-graphs is thought to have more
  const std::vector<node_id> anchors{leaves, 0, leaves + 1};  // a leaf, the hub, the isolated node
  check_schedules(graph, anchors, 2);
  const gp::device_graph<node_id> there(gpu(), graph);
  const auto plan = gp::plan_ego_batch<node_id>(gpu(), there, anchors);
  CHECK(plan.large == (graph.nodes() > shared_nodes ? 2u : 0u));
  CHECK(plan.small == anchors.size() - plan.large);
}

TEST_CASE("ego-graphs with and next to a hub of degree > 1000", "[cuda]") {
  const auto graph = slow::random_graph<node_id>(2200, 6400, 6);
  REQUIRE(graph.degree(0) > 1000);
  std::vector<node_id> anchors(24);  // nearly all in global memory
  std::iota(anchors.begin(), anchors.end(), 0);
  anchors.push_back(2199);  // isolated: in shared memory
  const auto expected = gp::make_ego_batch(gp::cpu{1}, graph, anchors);
  const gp::device_graph<node_id> there(gpu(), graph);
  const auto plan = gp::plan_ego_batch<node_id>(gpu(), there, anchors);
  CHECK(plan.large >= 1);
  CHECK(plan.small >= 1);
  check_once(there, anchors, expected);
}

TEST_CASE("a hop that is too long to be sorted in shared memory", "[cuda]") {
  const auto graph = gp::test::star(6000);
  const std::vector<node_id> anchors{0, 17};
  const gp::device_graph<node_id> there(gpu(), graph);
  check_once(there, anchors, gp::make_ego_batch(gp::cpu{1}, graph, anchors));
}

TEST_CASE("16384 ego-graphs in one call", "[cuda]") {
  const auto graph = gp::test::ring(16'384);
  const auto anchors = every_node(graph);
  const gp::device_graph<node_id> there(gpu(), graph, 1);
  check_once(there, anchors, gp::make_ego_batch(gp::cpu{1}, graph, anchors, {.hops = 1}));
}

TEST_CASE("more hop sizes than one pass over the tiles of a running sum takes", "[cuda]") {
  const std::size_t hops = 2047;
  const auto graph = gp::build_graph<node_id>(260, std::vector<gp::edge<node_id>>{{3, 4}, {250, 251}});
  const auto anchors = every_node(graph);
  REQUIRE(anchors.size() * (hops + 1) > 256 * scan_tile);
  const gp::device_graph<node_id> there(gpu(), graph, hops);
  check_once(there, anchors, gp::make_ego_batch(gp::cpu{1}, graph, anchors, {.hops = hops}));
}

TEST_CASE("graphs with hardly anything in them", "[cuda]") {
  const auto no_edges = gp::build_graph<node_id>(70, std::vector<gp::edge<node_id>>{});
  check_schedules(no_edges, every_node(no_edges), 2);
  const auto one_node = gp::build_graph<node_id>(1, std::vector<gp::edge<node_id>>{});
  check_schedules(one_node, every_node(one_node), 3);
  CHECK(gp::device_graph<node_id>(gpu(), graph_type()).nodes() == 0);
}

TEST_CASE("anchors and hops that can't be are errors, those of the CPU", "[cuda]") {
  const auto graph = gp::test::ring(10);
  const gp::device_graph<node_id> there(gpu(), graph, 2);
  const auto on_cpu = [&](const std::vector<node_id>& anchors, std::size_t hops) {
    gp::make_ego_batch(gp::cpu{1}, graph, anchors, {.hops = hops});
  };
  const auto on_gpu = [&](const std::vector<node_id>& anchors, std::size_t hops) {
    gp::make_ego_batch<node_id>(gpu(), there, anchors, {.hops = hops});
  };
  const auto planned = [&](const std::vector<node_id>& anchors, std::size_t hops) {
    gp::plan_ego_batch<node_id>(gpu(), there, anchors, {.hops = hops});
  };
  const auto check = [&]<class Error>(const Error*, const std::vector<node_id>& anchors, std::size_t hops) {
    const auto expected = support::message_of<Error>([&] { on_cpu(anchors, hops); });
    CHECK_THROWS_AS(on_gpu(anchors, hops), Error);
    CHECK_THROWS_AS(planned(anchors, hops), Error);
    CHECK(support::message_of<Error>([&] { on_gpu(anchors, hops); }) == expected);
  };
  const gp::index_error* const index = nullptr;
  const gp::argument_error* const argument = nullptr;
  check(index, {0, 10}, 2);
  check(index, {-1}, 2);
  check(argument, {4, 7, 4}, 2);  // repeated
  check(argument, {}, 2);
  check(argument, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0}, 2);  // more than there are nodes
  check(argument, {0}, 0);
  CHECK_THROWS_WITH(on_gpu({0}, 3), Catch::Contains("at most 2 hops, got 3"));
  CHECK_THROWS_AS(gp::device_graph<node_id>(gpu(), graph, 0), gp::argument_error);
}

TEST_CASE("the plan of a batch names the memory that it takes", "[cuda]") {
  const auto graph = GENERATE(gp::test::ring(300), slow::random_graph<node_id>(1500, 3000, 7));
  auto anchors = every_node(graph);
  anchors.resize(graph.degree(0) > 100 ? 20 : 300);
  const gp::cuda exec;  // with a pool of its own
  const gp::device_graph<node_id> there(exec, graph);
  const auto plan = gp::plan_ego_batch<node_id>(exec, there, anchors);
  CHECK(plan.small + plan.large == anchors.size());
  CHECK(plan.small_blocks <= plan.small);
  CHECK(plan.large_blocks <= plan.large);

  const auto before = gp::backend::memory_use_of(exec);
  const auto batch = gp::make_ego_batch<node_id>(exec, there, anchors);
  const auto after = gp::backend::memory_use_of(exec);
  CHECK(bytes_of(batch) <= plan.result_bytes);
  CHECK(after.bytes_in_use - before.bytes_in_use >= bytes_of(batch));
  CHECK(after.bytes_in_use - before.bytes_in_use <= gp::test::largest_blocks(bytes_of(batch), 8));
  CHECK(after.bytes_held - before.bytes_held <=
        gp::test::largest_blocks(plan.workspace_bytes + plan.result_bytes, 8 + 9));
}
