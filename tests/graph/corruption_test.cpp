// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/corruption.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "support/slow_graph.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;

namespace {

gp::ego_batch<node_id> batch_of(const gp::csr_graph<node_id>& graph, std::vector<node_id> anchors) {
  return gp::make_ego_batch({}, graph, anchors);
}

}  // namespace

TEST_CASE("a mask depends on its keys and on nothing else", "[graph]") {
  const auto graph = slow::random_graph<node_id>(100, 300, 1);
  const auto all = batch_of(graph, {0, 5, 7, 11, 13, 2});
  const auto some = batch_of(graph, {13, 0});
  const gp::corruption_options options{.strength = 0.6, .samples = 10, .seed = 3, .iteration = 4, .step = 1};
  const auto masks = gp::corrupt(gp::cpu{1}, all, options);
  const auto again = gp::corrupt(gp::cpu{3}, all, options);
  const auto part = gp::corrupt(gp::cpu{1}, some, options);
  CHECK(masks.keep == again.keep);
  for (std::size_t sample = 0; sample < 10; ++sample) {
    const auto hub = masks.kept(0, sample);
    CHECK(std::equal(hub.begin(), hub.end(), part.kept(1, sample).begin()));
    const auto other = masks.kept(4, sample);
    CHECK(std::equal(other.begin(), other.end(), part.kept(0, sample).begin()));
  }
  for (auto change :
       {&gp::corruption_options::seed, &gp::corruption_options::iteration, &gp::corruption_options::step}) {
    auto changed = options;
    changed.*change += 1;
    CHECK(gp::corrupt(gp::cpu{1}, all, changed).keep != masks.keep);
  }
}

TEST_CASE("neighbours are dropped with the given probability, independently", "[graph]") {
  const auto graph = slow::random_graph<node_id>(400, 1200, 2);  // node 0 is a hub
  const auto batch = batch_of(graph, {0});
  const std::size_t degree = batch.neighbors(0).size();
  const std::size_t samples = 4000;
  const double strength = GENERATE(0.3, 0.6, 0.9);
  const auto masks = gp::corrupt({}, batch, {.strength = strength, .samples = samples, .seed = 9});
  const double total = static_cast<double>(samples * degree);
  const double dropped = total - std::accumulate(masks.keep.begin(), masks.keep.end(), 0.0);
  const double deviation = std::sqrt(strength * (1 - strength) / total);
  CHECK(std::abs(dropped / total - strength) < 5 * deviation);
  // Pairs of neighbours: both survive with probability (1 - t)^2.
  double both = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    both += masks.kept(0, sample)[0] && masks.kept(0, sample)[1];
  }
  const double joint = (1 - strength) * (1 - strength);
  CHECK(std::abs(both / samples - joint) < 5 * std::sqrt(joint * (1 - joint) / samples));
}

TEST_CASE("strength 0 keeps everything, strength 1 nothing", "[graph]") {
  const auto graph = slow::random_graph<node_id>(50, 100, 4);
  const auto batch = batch_of(graph, {0, 1, 2, 3, 48});
  for (const auto kept : gp::corrupt({}, batch, {.strength = 0.0, .samples = 3}).keep) {
    REQUIRE(kept == 1);
  }
  for (const auto kept : gp::corrupt({}, batch, {.strength = 1.0, .samples = 3}).keep) {
    REQUIRE(kept == 0);
  }
}

TEST_CASE("the exact estimator lists every mask of a small anchor with its probability", "[graph]") {
  // A star: node 0 has four leaves; node 1 also knows node 2, so degree 2.
  const gp::csr_graph<node_id> graph({0, 4, 6, 8, 9, 10, 10}, {1, 2, 3, 4, 0, 2, 0, 1, 0, 0});
  const auto batch = batch_of(graph, {0, 1, 3, 5});
  const double t = 0.3;
  const auto masks = gp::corrupt({}, batch, {.strength = t, .samples = 10, .estimator = gp::estimator::exact});
  REQUIRE(masks.samples == 10);
  for (std::size_t b = 0; b < batch.size(); ++b) {
    double sum = 0;
    for (std::size_t sample = 0; sample < masks.samples; ++sample) {
      sum += masks.weight(b, sample);
    }
    CHECK(sum == Approx(1.0));
  }
  CHECK(masks.weight(0, 9) == Approx(0.1));  // degree 4: sampled
  CHECK(masks.weight(1, 0) == Approx(t * t));
  CHECK(masks.weight(1, 1) == Approx(t * (1 - t)));
  CHECK(masks.weight(1, 3) == Approx((1 - t) * (1 - t)));
  CHECK(masks.weight(1, 4) == 0.0);
  CHECK(masks.kept(1, 1)[0] == 1);
  CHECK(masks.kept(1, 1)[1] == 0);
  CHECK(masks.weight(2, 1) == Approx(1 - t));
  CHECK(masks.weight(3, 0) == 1.0);  // isolated: the only mask
}

TEST_CASE("bad corruption options are refused", "[graph]") {
  const gp::csr_graph<node_id> graph({0, 1, 2}, {1, 0});
  const auto batch = batch_of(graph, {0});
  CHECK_THROWS_AS(gp::corrupt({}, batch, {.strength = -0.1}), gp::argument_error);
  CHECK_THROWS_AS(gp::corrupt({}, batch, {.strength = 1.1}), gp::argument_error);
  CHECK_THROWS_AS(gp::corrupt({}, batch, {.strength = std::nan("")}), gp::argument_error);
  CHECK_THROWS_WITH(gp::corrupt({}, batch, {.strength = 1.1}), Catch::Contains("[0, 1], got 1.1"));
  CHECK_THROWS_AS(gp::corrupt({}, batch, {.samples = 0}), gp::argument_error);
}
