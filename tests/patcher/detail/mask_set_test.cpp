// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/mask_set.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <set>
#include <string>

#include "graphpatcher/graph/ego_batch.hpp"
#include "support/slow_graph.hpp"

namespace gp = graphpatcher;
using gp::fast::mask_set;
using node_id = std::int32_t;

namespace {

/// The mask as text: 1 for a neighbour that is kept.
std::string text_of(const mask_set& masks, std::size_t mask, std::size_t neighbors) {
  std::string bits;
  for (std::size_t n = 0; n < neighbors; ++n) {
    bits += masks.keeps(mask, n) ? '1' : '0';
  }
  return bits;
}

mask_set drawn(const gp::corruption_options& options, node_id anchor, std::span<const node_id> neighbors) {
  mask_set masks;
  masks.draw<node_id>(gp::fast::corruption_stream(options), options, anchor, neighbors);
  return masks;
}

}  // namespace

TEST_CASE("masks have the bits of corrupt(), each different one once", "[patcher][fast]") {
  // the hub's mask takes one word, two full ones, and a bit of a third
  for (const std::size_t leaves : {1, 2, 5, 64, 65, 128, 129}) {
    const auto graph = slow::star<node_id>(leaves);
    const std::vector<node_id> anchors{0, 1};
    const auto batch = gp::make_ego_batch(gp::cpu{}, graph, std::span<const node_id>(anchors), {.hops = 1});
    for (const std::size_t samples : {1, 3, 4, 9}) {
      INFO(leaves << " neighbours, " << samples << " samples");
      const gp::corruption_options options{.strength = 0.4, .samples = samples, .seed = 7, .iteration = 2, .step = 3};
      const auto expected = gp::corrupt(gp::cpu{}, batch, options);
      for (std::size_t b = 0; b < 2; ++b) {
        const auto neighbors = batch.neighbors(b);
        const auto masks = drawn(options, anchors[b], neighbors);
        REQUIRE(masks.samples() == samples);
        std::set<std::string> different;
        std::vector<double> weights(masks.size(), 0.0);
        for (std::size_t s = 0; s < samples; ++s) {
          std::string bits;
          for (const auto kept : expected.kept(b, s)) {
            bits += kept != 0 ? '1' : '0';
          }
          CHECK(text_of(masks, masks.of_sample(s), neighbors.size()) == bits);
          different.insert(bits);
          weights[masks.of_sample(s)] += 1.0 / static_cast<double>(samples);
        }
        CHECK(masks.size() == different.size());
        for (std::size_t mask = 0; mask < masks.size(); ++mask) {
          CHECK(masks.weight(mask) == weights[mask]);
        }
      }
    }
  }
}

TEST_CASE("all masks of two neighbours, by hand", "[patcher][fast]") {
  const std::vector<node_id> neighbors{4, 9};
  const auto masks = drawn({.strength = 0.25, .samples = 5, .estimator = gp::estimator::exact}, 2, neighbors);
  REQUIRE(masks.size() == 4);
  CHECK(masks.samples() == 4);
  const std::vector<std::string> bits{"00", "10", "01", "11"};
  const std::vector<double> weights{0.0625, 0.1875, 0.1875, 0.5625};
  for (std::size_t mask = 0; mask < 4; ++mask) {
    CHECK(masks.of_sample(mask) == mask);
    CHECK(text_of(masks, mask, 2) == bits[mask]);
    CHECK(masks.weight(mask) == weights[mask]);
  }
}

TEST_CASE("masks that can't be drawn are left out of the exact expectation", "[patcher][fast]") {
  const std::vector<node_id> neighbors{1, 2, 3};
  for (const double strength : {0.0, 1.0}) {
    const auto masks = drawn({.strength = strength, .samples = 1, .estimator = gp::estimator::exact}, 0, neighbors);
    REQUIRE(masks.size() == 1);
    CHECK(masks.weight(0) == 1);
    CHECK(text_of(masks, 0, 3) == (strength == 0.0 ? "111" : "000"));
  }
}

TEST_CASE("an anchor without neighbours has one mask, one with four is sampled", "[patcher][fast]") {
  for (const auto estimator : {gp::estimator::sampled, gp::estimator::exact}) {
    const auto none = drawn({.strength = 0.5, .samples = 6, .estimator = estimator}, 0, {});
    CHECK(none.size() == 1);
    CHECK(none.weight(0) == Approx(1).epsilon(1e-15));
  }
  const std::vector<node_id> four{1, 2, 3, 4};
  const gp::corruption_options exact{.strength = 0.5, .samples = 40, .estimator = gp::estimator::exact};
  CHECK(drawn(exact, 0, four).samples() == 40);
  CHECK(drawn(exact, 0, std::span<const node_id>(four).first(3)).samples() == 8);
}

TEST_CASE("a set of masks is drawn again and again", "[patcher][fast]") {
  const auto graph = slow::star<node_id>(70);
  const auto many = graph.neighbors(0);
  const gp::corruption_options options{.strength = 0.5, .samples = 3, .seed = 1};
  const auto stream = gp::fast::corruption_stream(options);
  mask_set masks;
  masks.draw<node_id>(stream, options, 0, many);
  masks.draw<node_id>(stream, options, 5, many.first(1));
  const auto fresh = drawn(options, 5, many.first(1));
  REQUIRE(masks.size() == fresh.size());
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(text_of(masks, masks.of_sample(s), 1) == text_of(fresh, fresh.of_sample(s), 1));
  }
}
