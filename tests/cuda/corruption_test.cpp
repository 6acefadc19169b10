// SPDX-License-Identifier: MIT
// Corruption masks drawn on a GPU: bit for bit those of the CPU.
#include <catch2/catch.hpp>
#include <cmath>
#include <span>
#include <vector>

#include "cuda/support/gpu.hpp"
#include "cuda/support/graphs.hpp"
#include "graphpatcher/cuda/corruption.hpp"
#include "support/slow_graph.hpp"

namespace gp = graphpatcher;
using gp::test::every_node;
using gp::test::gpu;
using gp::test::node_id;

namespace {

/// A batch on both sides. Ego-graphs of one hop have all that masks are about.
struct two_batches {
  gp::ego_batch<node_id> host;
  gp::device_ego_batch<node_id> device;

  two_batches(const gp::csr_graph<node_id>& graph, std::span<const node_id> anchors, std::size_t hops = 1)
      : host(gp::make_ego_batch(gp::cpu{1}, graph, anchors, {.hops = hops})),
        device(gp::make_ego_batch<node_id>(gpu(), gp::device_graph<node_id>(gpu(), graph, hops), anchors,
                                           {.hops = hops})) {}

  void check(const gp::corruption_options& options) const {
    const auto expected = gp::corrupt(gp::cpu{1}, host, options);
    const auto got = gp::to_host(gpu(), gp::corrupt(gpu(), device, options));
    INFO(host.size() << " anchors, " << options.samples << " samples, strength " << options.strength);
    CHECK(got.samples == expected.samples);
    CHECK((got.offsets == expected.offsets));
    CHECK((got.keep == expected.keep));
    CHECK((got.weights == expected.weights));
  }
};

}  // namespace

TEST_CASE("masks for any strength and number of samples", "[cuda]") {
  const auto graph = slow::random_graph<node_id>(60, 150, 1);  // with a hub and two isolated nodes
  const two_batches batches(graph, every_node(graph), 2);
  for (const std::size_t samples : {1, 3, 4, 5, 33}) {  // four are one Philox block
    for (const double strength : {0.0, 0.3, 1.0}) {
      gp::test::for_each_schedule(
          [&] { batches.check({.strength = strength, .samples = samples, .seed = 3, .iteration = 5, .step = 1}); });
    }
  }
}

TEST_CASE("masks of another seed, iteration or step are others, as on the CPU", "[cuda]") {
  const auto graph = gp::test::clique(30);
  const two_batches batches(graph, every_node(graph));
  const gp::corruption_options base{.strength = 0.5, .samples = 2};
  const auto first = gp::corrupt(gp::cpu{1}, batches.host, base);
  for (auto options : {gp::corruption_options{.seed = 1ull << 40}, {.iteration = 1ull << 33}, {.step = 1}}) {
    options.strength = base.strength;
    options.samples = base.samples;
    CHECK_FALSE((gp::corrupt(gp::cpu{1}, batches.host, options).keep == first.keep));
    batches.check(options);
  }
}

TEST_CASE("a draw that is just as large as the strength keeps its neighbour", "[cuda]") {
  const auto graph = gp::test::clique(6);
  const two_batches batches(graph, every_node(graph));
  const auto stream = gp::random_stream(3, gp::purpose::corruption).fork(0).fork(0);
  for (const node_id neighbor : {1, 5}) {
    const auto draws = gp::neighbor_draws(stream, 0, static_cast<std::uint64_t>(neighbor), 0);
    for (const std::uint32_t draw : draws) {
      batches.check({.strength = draw * 0x1.0p-32, .samples = 4, .seed = 3});
    }
  }
}

TEST_CASE("masks around the sizes of a warp and a block, and of a hub of degree > 1000", "[cuda]") {
  const node_id leaves = GENERATE(1, 31, 32, 33, 255, 256, 257, 1300);
  const auto graph = gp::test::star(leaves);
  const std::vector<node_id> anchors{leaves + 1, 0, leaves};  // the isolated node, the hub, a leaf
  const two_batches batches(graph, anchors, 2);
  gp::test::for_each_schedule([&] { batches.check({.strength = 0.5, .samples = 6, .seed = 9}); });
}

TEST_CASE("masks of directed edges, double edges and loops", "[cuda]") {
  const auto graph = GENERATE(slow::random_graph<node_id>(40, 90, 3, true, true),
                              gp::test::with_loops(slow::random_graph<node_id>(30, 50, 4)));
  const two_batches batches(graph, every_node(graph), 2);
  batches.check({.strength = 0.4, .samples = 3, .seed = 2});
}

TEST_CASE("masks of more than 16384 ego-graphs in one call", "[cuda]") {
  const auto graph = gp::test::ring(16'400);
  const auto anchors = every_node(graph);
  // Only what masks read of a batch, without the work of making ego-graphs: on a ring, neighbours are known.
  const auto host = gp::make_ego_batch(gp::cpu{1}, graph, anchors, {.hops = 1});
  std::vector<std::uint64_t> offsets(anchors.size() + 1);
  for (std::size_t b = 0; b < offsets.size(); ++b) {
    offsets[b] = 2 * b;
  }
  const auto there = [](const auto& values) {
    using value = typename std::decay_t<decltype(values)>::value_type;
    gp::buffer<value> result(gpu(), values.size(), gp::contents::anything);
    gp::backend::upload(gpu(), result.data(), values.data(), result.bytes());
    return result;
  };
  gp::device_ego_batch<node_id> device;
  device.hops = 1;
  device.anchors = there(host.anchors);
  device.hop_offsets = there(host.hop_offsets);
  device.nodes = there(host.nodes);
  device.neighbor_offsets = there(offsets);
  device.neighbors = offsets.back();
  const gp::corruption_options options{.strength = 0.5, .samples = 2, .seed = 7};
  const auto got = gp::to_host(gpu(), gp::corrupt(gpu(), device, options));
  const auto expected = gp::corrupt(gp::cpu{1}, host, options);
  CHECK((got.offsets == expected.offsets));
  CHECK((got.keep == expected.keep));
}

TEST_CASE("anchors without a neighbour have empty masks", "[cuda]") {
  const auto graph = gp::build_graph<node_id>(5, std::vector<gp::edge<node_id>>{});
  const two_batches batches(graph, every_node(graph));
  batches.check({.strength = 0.5, .samples = 3});
  CHECK(gp::corrupt(gpu(), batches.device, {.samples = 3}).keep.size() == 0);
}

TEST_CASE("corruption that can't be is an error", "[cuda]") {
  const auto graph = gp::test::ring(5);
  const two_batches batches(graph, every_node(graph));
  const auto draw = [&](const gp::corruption_options& options) { gp::corrupt(gpu(), batches.device, options); };
  CHECK_THROWS_AS(draw({.strength = -0.1}), gp::argument_error);
  CHECK_THROWS_AS(draw({.strength = 1.1}), gp::argument_error);
  CHECK_THROWS_AS(draw({.strength = std::nan("")}), gp::argument_error);
  CHECK_THROWS_AS(draw({.samples = 0}), gp::argument_error);
  CHECK_THROWS_AS(draw({.samples = std::size_t{1} << 31}), gp::argument_error);
  CHECK_THROWS_WITH(draw({.estimator = gp::estimator::exact}), Catch::Contains("cpu executor"));
}
