// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/row_model.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/fixed_patches.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"
#include "own_backbone/gin.hpp"
#include "patcher/detail/backbones.hpp"
#include "support/compare.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

using toy::node_id;

namespace {

gin_backbone<double> some_gin() {
  return backbones::shaken(gin_backbone<double>(12, 6, 3, gp::random_stream(1, gp::purpose::initialisation)), 0.7);
}

/// Not a function of numbers, and one that has no slope.
struct no_value {
  double slope(double) const { return 1; }
};
struct no_slope {
  double value(double x) const { return x; }
};

}  // namespace

TEST_CASE("an activation has a value and a slope", "[patcher][fast]") {
  static_assert(gp::row_activation<gp::relu_activation, float>);
  static_assert(gp::row_activation<gp::elu_activation, double>);
  static_assert(gp::row_activation<gp::no_activation, double>);
  static_assert(!gp::row_activation<no_value, double>);
  static_assert(!gp::row_activation<no_slope, double>);
  using rows = decltype(some_gin().rows());
  static_assert(std::same_as<rows, gp::row_model<gin_row<double>, gin_row<double>, gp::relu_activation>>);
  const auto model = some_gin();
  CHECK(model.rows().first.outputs() == 6);
  CHECK(model.rows().second.outputs() == 3);
}

TEST_CASE("a user's backbone with rows is trained and patched on the fast path, wrapped or not", "[patcher][fast]") {
  const auto data = toy::make<double>();
  const auto model = some_gin();
  const gp::trained<gin_backbone<double>> wrapped{model, {}};
  auto config = toy::quick_config();
  const auto fast = gp::train_patcher(gp::cpu{2}, data, model, config);
  CHECK(fast.path == gp::patch_path::fast);
  const auto again = gp::train_patcher(gp::cpu{1}, data, wrapped, config);
  CHECK(again.path == gp::patch_path::fast);
  config.path = gp::patch_path::generic;
  const auto slow = gp::train_patcher(gp::cpu{2}, data, model, config);
  CHECK(slow.path == gp::patch_path::generic);
  REQUIRE(fast.evaluations.size() == slow.evaluations.size());
  for (std::size_t e = 0; e < fast.evaluations.size(); ++e) {
    CHECK(fast.evaluations[e].training_loss == Approx(slow.evaluations[e].training_loss).epsilon(1e-6));
    CHECK(fast.evaluations[e].training_loss == again.evaluations[e].training_loss);
    CHECK(fast.evaluations[e].validation_accuracies == slow.evaluations[e].validation_accuracies);
  }

  const auto nodes = toy::all_nodes(data.nodes());
  const auto patched = [&](const auto& backbone, gp::patch_path path, const auto& what) {
    return gp::patch_nodes<double, node_id>(gp::cpu{2}, data.graph, data.features, backbone, what, nodes,
                                            {.patches = 2, .path = path})
        .logits;
  };
  const auto compare = [&](const auto& what) {
    const auto generic = patched(model, gp::patch_path::generic, what);
    const auto quick = patched(model, gp::patch_path::fast, what);
    const auto chosen = patched(wrapped, gp::patch_path::automatic, what);
    CHECK(support::same_bits(quick[0], generic[0]));
    for (std::size_t k = 1; k <= 2; ++k) {
      CHECK(support::largest_difference(quick[k], generic[k]) < 1e-9);
      CHECK(support::same_bits(quick[k], chosen[k]));
    }
  };
  compare(fast.generator);
  compare(gp::fixed_patch::mean);
  compare(gp::fixed_patch::copy);
}
