// SPDX-License-Identifier: MIT
// Training and test-time patching on a GPU, against the same on the CPU.
#include <catch2/catch.hpp>
#include <vector>

#include "cuda/support/gpu.hpp"
#include "graphpatcher/eval/run_seed.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/nn/placement.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using gp::test::gpu;
using toy::node_id;

namespace {

gp::patcher_config small_config() {
  auto config = toy::quick_config();
  config.hidden = 20;
  config.batch = 8;
  config.learning_rate = 1e-4;  // small steps: weights of both executors stay side by side
  return config;
}

/// Loss and gradients of one training step.
template <class T, class Model>
std::vector<gp::matrix<T>> training_step(const gp::executor& exec, Model model, const gp::patcher_config& config) {
  const auto data = toy::make<T>(40, 90, 12, 3);
  gp::patch_generator<T> generator({.features = 12, .hidden = config.hidden, .dropout = 0.3, .seed = 2});
  gp::move_to(exec, model);
  gp::move_to(exec, generator);
  const std::vector<node_id> anchors{0, 3, 9, 29, 38, 39};
  const auto batch = gp::make_ego_batch({}, data.graph, anchors, {.hops = model.hops()});
  const auto masks = gp::draw_masks(gp::cpu{}, batch, config, 5);
  gp::tape<T> t(exec);
  gp::tape<T> scratch(exec);
  t.train(gp::random_stream(4, gp::purpose::dropout));
  const auto pass = gp::run_training_pass(t, scratch, model, generator, data.features, batch, masks, config);
  t.backward(pass.loss);
  std::vector<gp::matrix<T>> result{gp::to_host(exec, pass.loss.value())};
  for (const auto* p : generator.parameters()) {
    REQUIRE(p->has_gradient);
    result.push_back(p->gradient.copy_on(gp::cpu{}));
  }
  return result;
}

template <class T, class Model>
void check_training_step(const Model& model, const gp::patcher_config& config) {
  const auto expected = training_step<T>(gp::cpu{1}, model, config);
  gp::test::for_each_schedule([&] {
    const auto got = training_step<T>(gpu(), model, config);
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
      INFO((k == 0 ? "loss " : "gradient of parameter ") << k);
      // A number passes through about ten products of up to 40 terms, forth and back.
      CHECK(gp::test::relative_difference(got[k], expected[k]) <= gp::test::rounding<T>(1000));
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("a training step: loss and gradients as on the CPU", "[cuda]", float, double) {
  using T = TestType;
  auto config = small_config();
  check_training_step<T>(gp::gcn_backbone<T>({.hidden = 16}, 12, 3), config);
  check_training_step<T>(gp::sage_backbone<T>({.hidden = 16}, 12, 3), config);
  check_training_step<T>(gp::gat_backbone<T>({.hidden = 4, .heads = 3}, 12, 3), config);
  config.loss = gp::patch_loss::released;
  config.degree = gp::degree_mode::ego;
  config.edge = gp::patch_edge::undirected;
  config.backprop_through_steps = true;
  check_training_step<T>(gp::gcn_backbone<T>({.hidden = 16, .norm = gp::normalisation::symmetric}, 12, 3), config);
}

TEST_CASE("a backbone trained on a GPU learns as on the CPU", "[cuda]") {
  const auto data = toy::make<double>(60, 120, 12, 1);
  const gp::fit_options few{.learning_rate = 1e-2, .max_epochs = 6};
  const gp::gcn_config config{.hidden = 16, .dropout = 0.3};
  const auto expected = gp::train_backbone(gp::cpu{1}, data, config, few);
  const auto got = gp::train_backbone(gpu(), data, config, few);
  REQUIRE(got.history.epochs() == expected.history.epochs());
  CHECK(got.history.best_epoch == expected.history.best_epoch);
  for (std::size_t e = 0; e < got.history.epochs(); ++e) {
    CHECK(got.history.loss[e] == Approx(expected.history.loss[e]).epsilon(1e-10));
    CHECK(got.history.validation_accuracies[e] == expected.history.validation_accuracies[e]);
  }
  CHECK(got.layers[0].weight.value.on_host());
  CHECK(gp::test::relative_difference(got.layers[0].weight.value, expected.layers[0].weight.value) < 1e-9);
}

TEMPLATE_TEST_CASE("training a patcher and patching nodes: as on the CPU", "[cuda]", float, double) {
  using T = TestType;
  const auto data = toy::make<T>(60, 120, 12, 1);
  const gp::gcn_backbone<T> model({.hidden = 16}, 12, 3);
  auto config = small_config();
  config.max_iterations = 4;
  config.warmup = 1;
  config.evaluate_every = 2;
  config.patches = 2;
  const auto expected = gp::train_patcher(gp::cpu{1}, data, model, config);
  config.capture = GENERATE(false, true);
  const auto got = gp::train_patcher(gpu(), data, model, config);
  REQUIRE(got.evaluations.size() == expected.evaluations.size());
  const double tolerance = gp::test::rounding<T>(20'000);  // four steps of Adam, each divided by a root of squares
  for (std::size_t e = 0; e < got.evaluations.size(); ++e) {
    CHECK(got.evaluations[e].training_loss == Approx(expected.evaluations[e].training_loss).epsilon(tolerance));
  }
  const auto anchors = data.split.test;
  const gp::patching_options options{.patches = 3, .batch = 7, .keep_features = true};
  const auto a = gp::patch_nodes(gp::cpu{1}, data.graph, data.features, model, expected.generator, anchors, options);
  const auto b = gp::patch_nodes(gpu(), data.graph, data.features, model, expected.generator, anchors, options);
  for (std::size_t k = 0; k < a.logits.size(); ++k) {
    CHECK(b.logits[k].on_host());
    CHECK(gp::test::relative_difference(b.logits[k], a.logits[k]) <= gp::test::rounding<T>(1000));
  }
  for (std::size_t k = 0; k < a.features.size(); ++k) {
    CHECK(gp::test::relative_difference(b.features[k], a.features[k]) <= gp::test::rounding<T>(1000));
  }
  const auto whole = gp::predict(gp::cpu{1}, model, data.graph, data.features);
  CHECK(gp::test::relative_difference(gp::predict(gpu(), model, data.graph, data.features), whole) <=
        gp::test::rounding<T>(1000));
}

TEST_CASE("a model must be where its tape runs", "[cuda]") {
  const gp::gcn_backbone<float> model({.hidden = 4}, 12, 3);
  gp::tape<float> t(gpu());
  CHECK_THROWS_WITH(t.use(model.layers[0].weight), Catch::Contains("move the model with move_to"));
  gp::matrix<float> there(gpu(), 2, 2);
  CHECK_THROWS_WITH(there(0, 0), Catch::Contains("copy_on(cpu{})"));
  CHECK(there.copy_on(gp::cpu{})(1, 1) == 0.0f);
}
