// SPDX-License-Identifier: MIT
// Patching, training and frozen models that are used in a wrong way, and the typed error they give.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "graphpatcher/patcher/fixed_patches.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"
#include "patcher/detail/backbones.hpp"
#include "support/appnp.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using Catch::Contains;
using toy::node_id;
using model_type = gp::gcn_backbone<float>;
using generator_type = gp::patch_generator<float>;
using data_type = gp::dataset<float, node_id>;
using graph_type = gp::csr_graph<node_id>;
using table_type = gp::feature_table<float, node_id>;

namespace {

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
constexpr std::size_t half = huge / 2 + 1;  // twice of it is 0
const gp::cpu exec{1};
const std::vector<node_id> anchors{0, 3, 5};

/// Sees two hops and says one.
struct short_sighted : support::appnp<float> {
  short_sighted() : appnp<float>(12, 8, 3, 2) {}
  std::size_t hops() const { return 1; }
};

gp::patching_options on(gp::patch_path path, std::size_t patches = 2) {
  return {.patches = patches, .path = path};
}
auto patched(const data_type& data, const model_type& model, const generator_type& generator,
             const gp::patching_options& options) {
  return gp::patch_nodes(exec, data.graph, data.features, model, generator, anchors, options);
}
const auto paths = {gp::patch_path::fast, gp::patch_path::generic};
const auto frozen_paths = {gp::frozen_path::rows, gp::frozen_path::generic};

}  // namespace

TEST_CASE("patching with what was moved from is refused", "[patcher][misuse]") {
  auto data = toy::make<float>();
  model_type model({.hidden = 8}, 12, 3);
  generator_type generator({.features = 12, .hidden = 8});
  for (const auto path : paths) {
    auto gone = generator;
    const auto taken = std::move(gone);
    CHECK(patched(data, model, taken, on(path)).logits.size() == 3);
    CHECK(gone.features() == 0);  // NOLINT: that is the question
    CHECK_THROWS_AS(patched(data, model, gone, on(path)), gp::argument_error);
    CHECK_THROWS_WITH(patched(data, model, gone, on(path)), Contains("was it moved from?"));

    auto features = data.features;
    const auto taken_features = std::move(features);
    CHECK_THROWS_AS(gp::patch_nodes(exec, data.graph, features, model, generator, anchors, on(path)), gp::shape_error);
    auto graph = data.graph;
    const auto taken_graph = std::move(graph);
    CHECK_THROWS_AS(gp::patch_nodes(exec, graph, data.features, model, generator, anchors, on(path)), gp::shape_error);
    CHECK_THROWS_AS(gp::patch_nodes(exec, graph, features, model, generator, anchors, on(path)), gp::argument_error);
  }
  auto gone_model = model;
  const auto taken_model = std::move(gone_model);
  CHECK_THROWS_AS(patched(data, gone_model, generator, on(gp::patch_path::automatic)), gp::argument_error);
  CHECK_THROWS_AS(gp::patch_nodes(exec, data.graph, data.features, gone_model, gp::fixed_patch::zero, anchors),
                  gp::argument_error);

  gp::node_patching patching(exec, data.graph, data.features, model, anchors);
  const auto taken_patching = std::move(patching);
  CHECK_THROWS_AS(patching.run(generator), gp::argument_error);
  CHECK_THROWS_AS(patching.path(), gp::argument_error);
}

TEST_CASE("a frozen model that was moved from says that it is empty", "[patcher][misuse]") {
  const auto data = toy::make<float>();
  model_type model({.hidden = 8}, 12, 3);
  gp::matrix<float> room(3, 3);
  gp::frozen_model frozen(exec, model, data);
  auto taken = std::move(frozen);
  taken.answer(anchors, {}, {.logits = room});
  CHECK(frozen.nodes() == 0);  // NOLINT: that is the question
  CHECK(frozen.classes() == 0);
  CHECK_THROWS_AS(frozen.answer(anchors, {}, {.logits = room}), gp::argument_error);
  CHECK_THROWS_AS(frozen.path(), gp::argument_error);
  CHECK_THROWS_WITH(frozen.why(), Contains("moved from"));
  frozen = taken;
  CHECK(frozen.path() == gp::frozen_path::rows);
  const auto taken_model = std::move(model);
  CHECK_THROWS_AS(gp::frozen_model(exec, model, data), gp::argument_error);
  CHECK_THROWS_WITH(gp::frozen_model(exec, model, data), Contains("was it moved from?"));
}

TEST_CASE("numbers of patches and samples that wrap are refused", "[patcher][misuse]") {
  const auto data = toy::make<float>();
  const model_type model({.hidden = 8}, 12, 3);
  const generator_type generator({.features = 12, .hidden = 8});
  for (const auto path : paths) {
    CHECK_THROWS_AS(patched(data, model, generator, on(path, huge)), gp::overflow_error);
    CHECK_THROWS_AS(patched(data, model, generator, on(path, half)), gp::overflow_error);
    CHECK_THROWS_AS(
        gp::patch_nodes(exec, data.graph, data.features, model, gp::fixed_patch::zero, anchors, on(path, huge)),
        gp::overflow_error);
    auto config = toy::quick_config();
    config.path = path;
    config.samples = half;
    CHECK_THROWS_WITH(gp::train_patcher(exec, data, model, config), Contains("expected samples in"));
    config.samples = 3;
    config.batch = huge;
    CHECK_THROWS_AS(gp::train_patcher(exec, data, model, config), gp::argument_error);
    CHECK_THROWS_WITH(gp::train_patcher(exec, data, model, config), Contains("expected a batch of at most"));
    config.batch = half;  // times 2 steps it wraps to 0
    CHECK_THROWS_AS(gp::train_patcher(exec, data, model, config), gp::argument_error);
  }
  for (const auto path : frozen_paths) {
    const gp::frozen_model frozen(exec, model, data, {.path = path});
    gp::matrix<float> means(3, 3);
    for (const std::size_t samples : {half, huge, huge / 3 + 1}) {
      CHECK_THROWS_AS(frozen.answer(anchors, {.samples = samples}, {.mean_probabilities = means}), gp::overflow_error);
      CHECK_THROWS_AS(frozen.answer(std::vector<node_id>{2}, {.samples = samples},
                                    {.mean_probabilities = means.view().middle_rows(0, 1)}),
                      gp::overflow_error);
    }
  }
  CHECK_THROWS_AS(generator_type({.features = huge, .hidden = 8}), gp::overflow_error);
  CHECK_THROWS_AS(generator_type({.features = 8, .hidden = huge}), gp::overflow_error);
  CHECK_THROWS_AS(generator_type({.features = 0, .hidden = 8}), gp::argument_error);
  CHECK_THROWS_AS((gp::anchor_order<node_id>({1, 2}, 0, 1)), gp::argument_error);
  CHECK_THROWS_AS((gp::anchor_order<node_id>({1, 2}, 3, 1)), gp::argument_error);
}

TEST_CASE("logits that aren't finite are an error, on either path and with fixed patches", "[patcher][misuse]") {
  const auto data = toy::make<float>();
  const model_type model({.hidden = 8}, 12, 3);
  const generator_type generator({.features = 12, .hidden = 8});
  const auto refused = [&](const model_type& backbone, const generator_type& network, const std::string& named) {
    for (const auto path : paths) {
      CHECK_THROWS_AS(patched(data, backbone, network, on(path)), gp::numeric_error);
      CHECK_THROWS_WITH(patched(data, backbone, network, on(path)), Contains("logits") && Contains(named));
    }
  };
  auto bad_model = model;
  bad_model.layers[1].bias.value(0, 1) = std::nanf("");
  refused(bad_model, generator, "'layers.1.bias'");
  for (const auto path : paths) {
    CHECK_THROWS_AS(
        gp::patch_nodes(exec, data.graph, data.features, bad_model, gp::fixed_patch::mean, anchors, on(path)),
        gp::numeric_error);
  }
  auto bad_generator = generator;
  bad_generator.parameters().back()->value(0, 0) = std::nanf("");
  refused(model, bad_generator, "logits[1]");
  refused(model, bad_generator, "'" + bad_generator.parameters().back()->name + "'");
  for (auto* p : bad_generator.parameters()) {
    p->value.fill(3e38f);
  }
  refused(model, bad_generator, "logits[1]");

  for (const auto path : frozen_paths) {
    for (const bool large : {false, true}) {
      auto worse = model;
      for (auto& value : worse.layers[1].weight.value.values()) {
        value = large ? 3e38f : std::nanf("");
      }
      const gp::frozen_model frozen(exec, worse, data, {.path = path});
      gp::matrix<float> logits(6, 3);
      gp::matrix<float> means(3, 3);
      CHECK_THROWS_AS(frozen.answer(anchors, {.samples = 2}, {.logits = logits}), gp::numeric_error);
      CHECK_THROWS_AS(frozen.answer(anchors, {.samples = 2}, {.mean_probabilities = means}), gp::numeric_error);
      CHECK_THROWS_AS(
          frozen.answer(anchors, {.samples = 2, .estimator = gp::estimator::exact}, {.mean_probabilities = means}),
          gp::numeric_error);
    }
  }
}

TEST_CASE("a class that is no more finite than the padding is noticed in every column", "[patcher][misuse]") {
  const auto data = toy::make<float>();
  for (const std::size_t classes : {1, 7, 8, 9, 17}) {
    for (std::size_t c = 0; c < classes; c += 4) {
      model_type model({.hidden = 8}, 12, classes);
      gp::matrix<float> logits(3, classes);
      const gp::frozen_model right(exec, model, data.graph, data.features);
      CHECK_NOTHROW(right.answer(anchors, {}, {.logits = logits}));
      model.layers[1].bias.value(0, c) = std::numeric_limits<float>::infinity();
      const gp::frozen_model frozen(exec, model, data.graph, data.features);
      REQUIRE(frozen.path() == gp::frozen_path::rows);
      CHECK_THROWS_WITH(frozen.answer(anchors, {}, {.logits = logits}), Contains("node 0, class " + std::to_string(c)));
    }
  }
}

TEST_CASE("layers whose parts don't fit together are refused before they are read", "[patcher][misuse]") {
  const auto data = toy::make<float>();
  backbones::for_each<float>(12, 3, [&](const char* kind, const auto& right) {
    INFO(kind);
    auto model = right;
    model.parameters().back()->value = gp::matrix<float>(1, 1);
    CHECK_THROWS_AS(gp::frozen_model(exec, model, data), gp::shape_error);
    CHECK_THROWS_AS(gp::predict(exec, model, data.graph, data.features), gp::shape_error);
  });
  gp::gat_backbone<float> model({.hidden = 4, .heads = 2}, 12, 3);
  model.layers[0].options.heads = 0;
  CHECK_THROWS_AS(gp::frozen_model(exec, model, data), gp::shape_error);
}

TEST_CASE("a backbone that says too few hops is noticed by whoever cuts ego-graphs", "[patcher][misuse]") {
  const auto data = toy::make<float>(80, 120);
  const short_sighted model;
  CHECK_THROWS_AS(gp::frozen_model(exec, model, data), gp::argument_error);
  CHECK_THROWS_WITH(gp::frozen_model(exec, model, data), Contains("hops() says 1"));
  CHECK_THROWS_WITH(gp::train_patcher(exec, data, model, toy::quick_config()), Contains("hops() says 1"));
  const support::appnp<float> right(12, 8, 3, 2);
  CHECK_NOTHROW(gp::frozen_model(exec, right, data));
}

TEST_CASE("what patching keeps by pointer can't be a temporary", "[patcher][misuse]") {
  using patching = gp::node_patching<float, node_id, model_type>;
  using nodes = std::span<const node_id>;
  STATIC_REQUIRE(
      std::is_constructible_v<patching, gp::cpu, const graph_type&, const table_type&, const model_type&, nodes>);
  STATIC_REQUIRE_FALSE(
      std::is_constructible_v<patching, gp::cpu, graph_type, const table_type&, const model_type&, nodes>);
  STATIC_REQUIRE_FALSE(
      std::is_constructible_v<patching, gp::cpu, const graph_type&, table_type, const model_type&, nodes>);
  STATIC_REQUIRE_FALSE(
      std::is_constructible_v<patching, gp::cpu, const graph_type&, const table_type&, model_type, nodes>);

  using trainer = gp::generic_trainer<float, node_id, model_type>;
  using config = gp::patcher_config;
  STATIC_REQUIRE(
      std::is_constructible_v<trainer, gp::cpu, const data_type&, const model_type&, config, generator_type&>);
  STATIC_REQUIRE_FALSE(
      std::is_constructible_v<trainer, gp::cpu, data_type, const model_type&, config, generator_type&>);
  STATIC_REQUIRE_FALSE(
      std::is_constructible_v<trainer, gp::cpu, const data_type&, model_type, config, generator_type&>);

  using validation = gp::patcher_validation<float, node_id, model_type>;
  STATIC_REQUIRE(std::is_constructible_v<validation, gp::cpu, const data_type&, const model_type&, config>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<validation, gp::cpu, data_type, const model_type&, config>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<validation, gp::cpu, const data_type&, model_type, config>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<gp::row_linear<float>, gp::linear<float>>);
}
