// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/fast_trainer.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/patcher/detail/generic_trainer.hpp"
#include "patcher/detail/backbones.hpp"
#include "patcher/detail/odd_graphs.hpp"
#include "support/compare.hpp"
#include "support/quick_config.hpp"
#include "support/threads.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

gp::patcher_config odd_config() {
  auto config = toy::quick_config();
  config.hidden = 70;  // more than a strip, not a multiple of one
  config.samples = 4;
  config.batch = 7;
  config.learning_rate = 1e-3;
  config.epsilon = 1e-9;
  return config;
}

/// Three batches on both paths from the same start: the losses, and how far the
/// weights are apart afterwards.
template <class Model>
void compare_paths(const gp::dataset<double, node_id>& data, const Model& model, const gp::patcher_config& config) {
  const gp::generator_options network{data.features.cols(), config.hidden, config.dropout, 3};
  auto slow = backbones::shaken(gp::patch_generator<double>(network), 1);
  auto fast = slow;
  gp::generic_trainer<double, node_id, Model> slow_trainer(gp::cpu{2}, data, model, config, slow);
  gp::fast::trainer<double, node_id, Model> fast_trainer(gp::cpu{2}, data, model, config, fast);
  const std::vector<node_id> anchors = toy::all_nodes(data.nodes());
  for (std::uint64_t iteration = 0; iteration < 3; ++iteration) {
    const std::size_t size = iteration == 1 ? 4 : config.batch;  // a smaller batch in between
    const auto batch = std::span<const node_id>(anchors).subspan(iteration, size);
    const double expected = slow_trainer.step(batch, iteration)(0, 0);
    const double found = fast_trainer.step(batch, iteration)(0, 0);
    CHECK(found == Approx(expected).epsilon(1e-9).margin(1e-13));
  }
  CHECK(fast_trainer.loss(std::span<const node_id>(anchors).first(5), 9) ==
        Approx(slow_trainer.loss(std::span<const node_id>(anchors).first(5), 9)).epsilon(1e-9).margin(1e-13));
  // AdamW divides a gradient by its own size: where it is next to nothing, rounding decides the step of lr.
  const auto slow_weights = slow.parameters();
  const auto fast_weights = fast.parameters();
  for (std::size_t p = 0; p < slow_weights.size(); ++p) {
    INFO(slow_weights[p]->name);
    CHECK(support::largest_difference(fast_weights[p]->value, slow_weights[p]->value) < 1e-5 * config.learning_rate);
  }
}

}  // namespace

TEST_CASE("a training step is the generic path's, for every backbone and graph", "[patcher][fast]") {
  for (const auto& [name, graph] : odd::graphs()) {
    const auto data = odd::data_on<double>(graph);
    backbones::for_each<double>(12, 3, [&](const char* kind, const auto& model) {
      INFO(name << ", " << kind);
      compare_paths(data, model, odd_config());
    });
  }
}

TEST_CASE("a training step is the generic path's, for every variant", "[patcher][fast]") {
  const auto data = odd::data_on<double>(slow::random_graph<node_id>(60, 110, 3));
  auto config = odd_config();
  SECTION("released loss") {
    config.loss = gp::patch_loss::released;
  }
  SECTION("mean over samples") {
    config.reduction = gp::sample_reduction::mean;
  }
  SECTION("exact expectation") {
    config.estimator = gp::estimator::exact;
  }
  SECTION("a loop on the patch") {
    config.edge = gp::patch_edge::to_anchor_loop;
  }
  SECTION("gradients accumulated over two batches") {
    config.accumulate = 2;
  }
  SECTION("one strength: a single step") {
    config.strengths = {0.5};
  }
  SECTION("five strengths") {
    config.strengths = {0.5, 0.4, 0.3, 0.2, 0.1};
  }
  SECTION("no dropout, no epsilon") {
    config.dropout = 0;
    config.epsilon = 0;
  }
  SECTION("spread targets, over edges and similar nodes") {
    config.target = gp::patch_target::spread;
  }
  SECTION("spread targets, over similar nodes, released") {
    config.target = gp::patch_target::spread;
    config.spread = {.over = gp::spread_over::similar, .similar = 3, .weight = 2.5, .steps = 1};
    config.loss = gp::patch_loss::released;
  }
  SECTION("narrow") {
    config.hidden = 3;
  }
  backbones::for_each<double>(12, 3, [&](const char* kind, const auto& model) {
    INFO(kind);
    compare_paths(data, model, config);
  });
}

TEST_CASE("training has the same bits with any number of threads", "[patcher][fast]") {
  const auto data = odd::data_on<float>(slow::random_graph<node_id>(60, 110, 3));
  const auto model = backbones::shaken(gp::gcn_backbone<float>({.hidden = 8}, 12, 3));
  support::same_for_any_threads([&](const gp::cpu& exec) {
    gp::patch_generator<float> generator({.features = 12, .hidden = 200, .dropout = 0.2, .seed = 3});
    gp::fast::trainer<float, node_id, gp::gcn_backbone<float>> trainer(exec, data, model, odd_config(), generator);
    const auto anchors = toy::all_nodes(data.nodes());
    for (std::uint64_t iteration = 0; iteration < 4; ++iteration) {
      trainer.step(std::span<const node_id>(anchors).subspan(7 * iteration, 7), iteration);
    }
    std::vector<gp::matrix<float>> weights;
    for (const auto* p : generator.parameters()) {
      weights.push_back(p->value);
    }
    return weights;
  });
}

TEST_CASE("the trainer refuses bad batches", "[patcher][fast]") {
  const auto data = odd::data_on<float>(slow::random_graph<node_id>(60, 110, 3));
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  gp::patch_generator<float> generator({.features = 12, .hidden = 8});
  auto config = odd_config();
  config.hidden = 8;
  gp::fast::trainer<float, node_id, gp::gcn_backbone<float>> trainer(gp::cpu{}, data, model, config, generator);
  CHECK_THROWS_WITH(trainer.step(std::vector<node_id>{0, 1, 2, 3, 4, 5, 6, 7}, 0),
                    Catch::Contains("at most 7 anchors"));
  CHECK_THROWS_AS(trainer.step(std::vector<node_id>{60}, 0), gp::index_error);
  CHECK_THROWS_AS(trainer.step(std::vector<node_id>{5, 5}, 0), gp::argument_error);
  config.edge = gp::patch_edge::undirected;
  using trainer_type = gp::fast::trainer<float, node_id, gp::gcn_backbone<float>>;
  CHECK_THROWS_WITH(trainer_type(gp::cpu{}, data, model, config, generator), Catch::Contains("one-way"));
}
