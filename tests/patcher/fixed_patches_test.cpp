// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/fixed_patches.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

TEST_CASE("fixed patches are the same on both paths", "[patcher][fast]") {
  const auto data = toy::make<double>(40, 60);
  const auto nodes = toy::all_nodes(data.nodes());
  const auto check = [&](const auto& model) {
    for (const auto kind : {gp::fixed_patch::zero, gp::fixed_patch::mean, gp::fixed_patch::copy}) {
      for (const auto edge : {gp::patch_edge::to_anchor, gp::patch_edge::to_anchor_loop}) {
        gp::patching_options options{.patches = 3, .batch = 7, .edge = edge, .path = gp::patch_path::fast};
        const auto fast = gp::patch_nodes(gp::cpu{2}, data.graph, data.features, model, kind, nodes, options);
        options.path = gp::patch_path::generic;
        const auto generic = gp::patch_nodes(gp::cpu{2}, data.graph, data.features, model, kind, nodes, options);
        for (std::size_t n = 0; n <= 3; ++n) {
          for (std::size_t v = 0; v < nodes.size(); ++v) {
            for (std::size_t c = 0; c < 3; ++c) {
              CHECK(fast.logits[n](v, c) == Approx(generic.logits[n](v, c)).margin(1e-12));
            }
          }
        }
      }
    }
  };
  check(gp::gcn_backbone<double>({.hidden = 8, .norm = gp::normalisation::mean}, 12, 3));
  check(gp::gcn_backbone<double>({.hidden = 8, .norm = gp::normalisation::symmetric}, 12, 3));
  check(gp::sage_backbone<double>({.hidden = 8}, 12, 3));
  check(gp::gat_backbone<double>({.hidden = 4, .heads = 2}, 12, 3));
}

TEST_CASE("a copy of an isolated node halves nothing but its weight", "[patcher]") {
  // Node 2 has no neighbour. Mean normalisation: with a copy of itself it aggregates (x + x) / 2 = x in layer 1, and in
  // layer 2 (h + relu(b1)) / 2, because the patch has no source.
  const auto graph = gp::csr_graph<node_id>(std::vector<node_id>{0, 1, 2, 2}, std::vector<node_id>{1, 0});
  const gp::feature_table x = gp::sparse_matrix<double, node_id>(3, 2, {0, 1, 2, 4}, {0, 1, 0, 1}, {1, 1, 0.5, 2});
  gp::gcn_backbone<double> model({.hidden = 2, .norm = gp::normalisation::mean}, 2, 2);
  auto weights = model.parameters();
  const auto fill = [&](std::size_t which, std::vector<double> values) {
    std::ranges::copy(values, weights[which]->value.values().begin());
  };
  fill(0, {1, -1, 0.5, 1});  // W1, 2 x 2
  fill(1, {0.25, -3});       // b1
  fill(2, {1, 2, 3, 4});     // W2
  fill(3, {0.5, 0});         // b2
  const std::vector<node_id> anchor{2};
  const auto patched = gp::patch_nodes(gp::cpu{1}, graph, x, model, gp::fixed_patch::copy, anchor, {.patches = 1});
  // x W1 + b1 = (0.5 + 1 + 0.25, -0.5 + 2 - 3) = (1.75, -1.5); h = (1.75, 0); relu(b1) = (0.25, 0).
  CHECK(patched.logits[0](0, 0) == Approx(1.75 + 0.5));
  CHECK(patched.logits[0](0, 1) == Approx(3.5));
  CHECK(patched.logits[1](0, 0) == Approx((1.75 + 0.25) / 2 + 0.5));
  CHECK(patched.logits[1](0, 1) == Approx((1.75 + 0.25) / 2 * 2));
}

TEST_CASE("bad input of fixed patches is refused", "[patcher]") {
  const auto data = toy::make<double>(10, 12);
  const gp::gcn_backbone<double> model({.hidden = 8}, 12, 3);
  const std::vector<node_id> outside{10};
  CHECK_THROWS_AS(gp::patch_nodes(gp::cpu{1}, data.graph, data.features, model, gp::fixed_patch::zero, outside),
                  gp::index_error);
  const std::vector<node_id> some{1};
  CHECK_THROWS_AS(
      gp::patch_nodes(gp::cpu{1}, data.graph, data.features, model, gp::fixed_patch::zero, some, {.batch = 0}),
      gp::argument_error);
}
