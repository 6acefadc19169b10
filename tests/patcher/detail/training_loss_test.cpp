// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/training_loss.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/autodiff/gradient_check.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

gp::patcher_config small_config() {
  auto config = toy::quick_config();
  config.hidden = 6;
  config.samples = 4;
  config.epsilon = 1e-9;
  return config;
}

/// Finite differences of a whole training step, for one backbone and config.
/// A freshly initialised backbone hardly reacts to a patch: gradients stay below
/// 1e-3, and rounding of the loss shows in their differences. Larger weights lift
/// them out of it; too large, and differences step over the kinks of ReLU and max.
template <class Model>
double step_error(Model model, const gp::patcher_config& config, double weight_scale = 6) {
  for (auto* p : model.parameters()) {
    for (double& value : p->value.values()) {
      value *= weight_scale;
    }
  }
  const auto data = toy::make<double>(30, 45, 5, 3);
  gp::patch_generator<double> generator({.features = 5, .hidden = config.hidden, .dropout = 0.0, .seed = 2});
  for (auto* p : generator.parameters()) {
    if (p->value.rows() == 1) {
      gp::uniform(*p, gp::random_stream(7, gp::purpose::initialisation), 0.3);  // no ReLU exactly at its kink
    }
  }
  const std::vector<node_id> anchors{0, 3, 9, 29};
  const auto batch = gp::make_ego_batch({}, data.graph, anchors, {.hops = model.hops()});
  const auto masks = gp::draw_masks(gp::cpu{}, batch, config, 5);
  gp::tape<double> scratch;
  std::vector<gp::training_pass<double, node_id>> alive;  // a pass must outlive its backward pass
  const auto loss = [&](gp::tape<double>& t) {
    alive.clear();
    alive.push_back(gp::run_training_pass(t, scratch, model, generator, data.features, batch, masks, config));
    return alive.back().loss;
  };
  return gp::gradient_check(generator.parameters(), loss, 1e-5);
}

}  // namespace

TEST_CASE("the gradient of a whole training step is right for every variant", "[patcher]") {
  const gp::gcn_backbone<double> gcn({.hidden = 6}, 5, 3);
  auto config = small_config();
  config.backprop_through_steps = true;  // otherwise the step is not the derivative of one function
  SECTION("paper, sum") {
    CHECK(step_error(gcn, config) < 1e-6);
  }
  SECTION("mean over samples") {
    config.reduction = gp::sample_reduction::mean;
    CHECK(step_error(gcn, config) < 1e-6);
  }
  SECTION("released") {
    config.loss = gp::patch_loss::released;
    CHECK(step_error(gcn, config) < 1e-6);
  }
  SECTION("exact expectation") {
    config.estimator = gp::estimator::exact;
    CHECK(step_error(gcn, config) < 1e-6);
  }
  SECTION("ego degrees, symmetric normalisation") {
    config.degree = gp::degree_mode::ego;
    CHECK(step_error(gp::gcn_backbone<double>({.hidden = 6, .norm = gp::normalisation::symmetric}, 5, 3), config) <
          1e-6);
  }
  SECTION("loop on the patch") {
    config.edge = gp::patch_edge::to_anchor_loop;
    CHECK(step_error(gcn, config) < 1e-6);
  }
  SECTION("undirected patch") {
    config.edge = gp::patch_edge::undirected;
    CHECK(step_error(gcn, config) < 1e-6);
  }
  SECTION("three layers") {
    CHECK(step_error(gp::gcn_backbone<double>({.layers = 3, .hidden = 6}, 5, 3), config) < 1e-6);
  }
  SECTION("GraphSAGE") {
    CHECK(step_error(gp::sage_backbone<double>({.hidden = 6}, 5, 3), config, 3) < 1e-6);
  }
  SECTION("GAT") {
    CHECK(step_error(gp::gat_backbone<double>({.hidden = 3, .heads = 2}, 5, 3), config, 3) < 1e-6);
  }
}

TEST_CASE("patches are constants for later steps unless asked otherwise", "[patcher]") {
  const auto data = toy::make<double>();
  const gp::gcn_backbone<double> model({.hidden = 6}, 12, 3);
  const auto anchors = toy::all_nodes(20);
  const auto batch = gp::make_ego_batch({}, data.graph, anchors);
  const auto gradient = [&](bool through, std::size_t term) {
    auto config = small_config();
    config.backprop_through_steps = through;
    const auto masks = gp::draw_masks(gp::cpu{}, batch, config, 0);
    gp::patch_generator<double> generator({.features = 12, .hidden = 6, .seed = 4});
    gp::tape<double> t, scratch;
    const auto pass = gp::run_training_pass(t, scratch, model, generator, data.features, batch, masks, config);
    t.backward(pass.terms[term]);
    return gp::copy_of(generator.parameters().front()->gradient.view());
  };
  const auto same = [](const auto& a, const auto& b) {
    return std::equal(a.values().begin(), a.values().end(), b.values().begin());
  };
  CHECK(same(gradient(false, 0), gradient(true, 0)));
  CHECK_FALSE(same(gradient(false, 2), gradient(true, 2)));
}

TEST_CASE("the mean over many samples approaches the exact expectation", "[patcher]") {
  // A path: every anchor has degree <= 2, so `exact` enumerates all masks.
  gp::dataset<double, node_id> data;
  data.graph = gp::csr_graph<node_id>({0, 1, 3, 5, 6}, {1, 0, 2, 1, 3, 2});
  data.features = toy::random_features<double>(4, 5, 8);
  const gp::gcn_backbone<double> model({.hidden = 6}, 5, 3);
  const auto anchors = toy::all_nodes(4);
  const auto batch = gp::make_ego_batch({}, data.graph, anchors);
  auto config = small_config();
  config.reduction = gp::sample_reduction::mean;
  gp::tape<double> t;
  const auto mean = [&](gp::estimator how, std::size_t samples) {
    config.samples = samples;
    const auto masks = gp::corrupt({}, batch, {.strength = 0.6, .samples = samples, .seed = 3, .estimator = how});
    const auto targets = gp::corrupted_targets(t, model, data.features, batch, masks, config);
    gp::matrix<double> result(4, 3);
    double total = 0;
    for (std::size_t r = 0; r < targets.owner.size(); ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        result(static_cast<std::size_t>(targets.owner[r]), c) += 4 * targets.weights[r] * targets.probabilities(r, c);
      }
      total += targets.weights[r];
    }
    CHECK(total == Approx(1.0));
    return result;
  };
  const std::size_t samples = 20000;
  const auto exact = mean(gp::estimator::exact, 10);
  const auto sampled = mean(gp::estimator::sampled, samples);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    // A probability varies by at most 1, so its mean deviates by less than 0.5 / sqrt(n) a standard deviation.
    CHECK(std::abs(exact.data()[i] - sampled.data()[i]) < 5 * 0.5 / std::sqrt(static_cast<double>(samples)));
  }
}
