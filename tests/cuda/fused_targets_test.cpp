// SPDX-License-Identifier: MIT
// The patcher's targets from one launch, against those from materialised ego-graphs.
#include <catch2/catch.hpp>
#include <vector>

#include "cuda/support/gpu.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/nn/placement.hpp"
#include "graphpatcher/patcher/detail/generic_trainer.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using gp::test::gpu;
using toy::node_id;

namespace {

/// Loss of a batch on the GPU, and whether its targets were fused.
template <class T, class Model>
std::pair<double, bool> loss_of(const Model& model, const gp::patcher_config& config) {
  const auto data = toy::make<T>(40, 90, 12, 3);
  const gp::placed_model<Model> placed(gpu(), model);
  gp::patch_generator<T> generator({.features = 12, .hidden = config.hidden, .dropout = 0.3, .seed = 2});
  gp::move_to(gpu(), generator);
  const gp::generic_trainer<T, node_id, Model> trainer(gpu(), data, *placed, config, generator);
  return {trainer.loss(std::vector<node_id>{0, 3, 9, 38}, 2), trainer.fuses_targets()};
}

template <class T>
bool fuses(const gp::patcher_config& config, const gp::gcn_config& model = {.hidden = 8}) {
  return loss_of<T>(gp::gcn_backbone<T>(model, 12, 3), config).second;
}

}  // namespace

TEMPLATE_TEST_CASE("fused targets are those of materialised ego-graphs", "[cuda]", float, double) {
  using T = TestType;
  const auto norm = GENERATE(gp::normalisation::mean, gp::normalisation::symmetric);
  auto config = toy::quick_config();
  config.reduction = GENERATE(gp::sample_reduction::sum, gp::sample_reduction::mean);
  const auto data = toy::make<T>(60, 200, 12, 3);
  gp::gcn_backbone<T> model({.hidden = 20, .norm = norm}, 12, 3);
  gp::glorot_uniform(model.layers[0].bias, gp::random_stream(1, gp::purpose::initialisation));
  gp::glorot_uniform(model.layers[1].bias, gp::random_stream(2, gp::purpose::initialisation));
  gp::move_to(gpu(), model);
  const std::vector<node_id> anchors{7, 0, 59, 31};
  const gp::fused_targets<T, node_id> fused(gpu(), model, data);
  const auto batch = gp::make_ego_batch({}, data.graph, anchors, {.hops = 2});
  const auto masks = gp::draw_masks(gp::cpu{1}, batch, config, 9);
  gp::tape<T> t(gpu());
  for (std::size_t m = 0; m < config.strengths.size(); ++m) {
    INFO("step " << m);
    const bool last = m + 1 == config.strengths.size();
    const auto expected = last ? gp::whole_targets(t, model, data.features, batch, config)
                               : gp::corrupted_targets(t, model, data.features, batch, masks.targets[m], config);
    const auto got = fused.of_step(anchors, config, 9, m);
    REQUIRE(got.owner == expected.owner);
    REQUIRE(got.weights.size() == expected.weights.size());
    for (std::size_t i = 0; i < got.weights.size(); ++i) {
      CHECK(got.weights[i] == Approx(expected.weights[i]).epsilon(gp::test::rounding<T>(4)));
    }
    // Two sums of up to 30 terms each, and an exponential.
    CHECK(gp::test::relative_difference(gp::to_host(gpu(), got.probabilities.view()),
                                        gp::to_host(gpu(), expected.probabilities.view())) <=
          gp::test::rounding<T>(100));
  }
}

TEMPLATE_TEST_CASE("a training loss with fused targets is the generic path's", "[cuda]", float, double) {
  using T = TestType;
  const gp::gcn_backbone<T> model({.hidden = 16, .norm = gp::normalisation::symmetric}, 12, 3);
  auto config = toy::quick_config();
  config.loss = GENERATE(gp::patch_loss::paper, gp::patch_loss::released);
  const auto [fused, is_fused] = loss_of<T>(model, config);
  config.path = gp::patch_path::generic;
  const auto [generic, is_generic_fused] = loss_of<T>(model, config);
  CHECK(is_fused);
  CHECK_FALSE(is_generic_fused);
  CHECK(fused == Approx(generic).epsilon(gp::test::rounding<T>(1000)));
}

TEST_CASE("targets are fused only where the fused kernel computes the same", "[cuda]") {
  using T = float;
  const auto config = toy::quick_config();
  CHECK(fuses<T>(config));
  CHECK_FALSE(fuses<T>(config, {.layers = 3, .hidden = 8}));
  CHECK_FALSE(fuses<T>(config, {.hidden = 8, .norm = gp::normalisation::sum}));
  auto other = config;
  other.degree = gp::degree_mode::ego;
  CHECK_FALSE(fuses<T>(other));
  other = config;
  other.estimator = gp::estimator::exact;
  CHECK_FALSE(fuses<T>(other));
  CHECK_FALSE(loss_of<T>(gp::sage_backbone<T>({.hidden = 8}, 12, 3), config).second);
  // A directed graph, and one with an edge twice.
  const gp::gcn_backbone<T> model({.hidden = 8}, 12, 3);
  using graph = gp::csr_graph<node_id>;
  CHECK(gp::fused_targets<T, node_id>::fits(gpu(), model, graph({0, 1, 2}, {1, 0}), config));
  CHECK_FALSE(gp::fused_targets<T, node_id>::fits(gpu(), model, graph({0, 1, 1}, {1}), config));
  CHECK_FALSE(gp::fused_targets<T, node_id>::fits(gpu(), model, graph({0, 2, 4}, {1, 1, 0, 0}), config));
}
