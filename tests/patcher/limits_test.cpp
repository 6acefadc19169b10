// SPDX-License-Identifier: MIT
// What stands exactly at a limit: the smallest batch, the first batch of an epoch.
#include <catch2/catch.hpp>
#include <vector>

#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/patcher/detail/anchor_order.hpp"
#include "graphpatcher/patcher/detail/ego_cost.hpp"
#include "graphpatcher/patcher/fixed_patches.hpp"
#include "graphpatcher/patcher/generator.hpp"
#include "support/compare.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

TEST_CASE("fixed patches: a batch of one anchor is enough", "[patcher][limits]") {
  const auto data = toy::make<double>(20, 30);
  const gp::gcn_backbone<double> model({.hidden = 4}, 12, 3);
  const std::vector<node_id> nodes{1, 4, 7};
  for (const auto path : {gp::patch_path::fast, gp::patch_path::generic}) {
    const auto run = [&](std::size_t batch) {
      return gp::patch_nodes(gp::cpu{1}, data.graph, data.features, model, gp::fixed_patch::mean, nodes,
                             {.patches = 2, .batch = batch, .path = path, .quiet = true});
    };
    CHECK(support::largest_difference(run(1).logits[2], run(3).logits[2]) < 1e-14);
  }
}

TEST_CASE("anchors: after any number of batches the order goes on as if they had been dealt out", "[patcher][limits]") {
  const std::vector<std::vector<node_id>> anchor_sets{{3, 5, 8, 9, 11}, {1, 2, 3, 4, 5, 6}, {7}};
  for (const auto& anchors : anchor_sets) {
    for (std::size_t size = 1; size <= anchors.size(); ++size) {
      for (std::uint64_t skipped = 0; skipped < 14; ++skipped) {
        gp::anchor_order<node_id> dealt(anchors, size, 7);
        for (std::uint64_t b = 0; b < skipped; ++b) {
          dealt.next();
        }
        gp::anchor_order<node_id> resumed(anchors, size, 7);
        resumed.skip(skipped);
        for (int b = 0; b < 8; ++b) {
          const auto expected = dealt.next();
          const auto got = resumed.next();
          CAPTURE(anchors, size, skipped, b);
          REQUIRE(std::vector<node_id>(got.begin(), got.end()) ==
                  std::vector<node_id>(expected.begin(), expected.end()));
        }
      }
    }
  }
}

TEST_CASE("cost of ego-graphs: four times the whole graph is no burden yet", "[patcher][limits]") {
  const gp::ego_cost cost{2, 10, 40.0, 10'000};
  CHECK(gp::warning_of(cost, 1000).empty());
  CHECK(!gp::warning_of(cost, 1001).empty());
}

TEST_CASE("the layers of a generator begin with weights of their own", "[patcher][limits]") {
  const gp::patch_generator<double> generator({.features = 8, .hidden = 8, .seed = 1});
  CHECK(support::largest_difference(generator.encoder(0).weight.value, generator.encoder(1).weight.value) > 0.01);
}
