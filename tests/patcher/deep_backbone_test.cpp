// SPDX-License-Identifier: MIT
// A backbone that sees further than the generator: what the generic path leaves out or takes from the whole graph is,
// bit for bit, what the whole ego-graphs give.
#include <catch2/catch.hpp>

#include "graphpatcher/patcher/detail/generic_trainer.hpp"
#include "graphpatcher/patcher/fixed_patches.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"
#include "graphpatcher/patcher/patching.hpp"
#include "patcher/detail/backbones.hpp"
#include "patcher/detail/odd_graphs.hpp"
#include "support/appnp.hpp"
#include "support/compare.hpp"
#include "support/quick_config.hpp"

namespace gp = graphpatcher;
using toy::node_id;
using generator_type = gp::patch_generator<double>;

namespace {

/// Rare edges, so that 5 hops are neither 2 nor everything.
gp::dataset<double, node_id> sparse_data() {
  return odd::data_on<double>(slow::random_graph<node_id>(90, 100, 3));
}
support::appnp<double> deep_model() {
  return backbones::shaken(support::appnp<double>(12, 8, 3, 5));
}

/// Patching with whole ego-graphs for everything, also for the generator.
std::vector<gp::matrix<double>> patched_in_ego_graphs(const gp::dataset<double, node_id>& data,
                                                      const support::appnp<double>& model,
                                                      const generator_type& generator, std::vector<node_id> anchors,
                                                      gp::message_options options) {
  const auto batch = gp::make_ego_batch({}, data.graph, anchors, {.hops = model.hops()});
  std::vector<gp::matrix<double>> logits;
  std::vector<gp::matrix<double>> patches;
  for (std::size_t k = 0; k <= options.patches; ++k) {
    gp::tape<double> t;
    const auto frozen = t.freeze();
    const auto messages = gp::materialise({}, batch, {options.degree, options.edge, k});
    gp::node_features<double, node_id> x{&data.features, &messages, {}};
    for (const auto& patch : patches) {
      x.patches.push_back(t.constant(patch.view()));
    }
    logits.push_back(gp::copy_of(gp::frozen_forward(t, model, messages, x).value()));
    patches.push_back(gp::copy_of(generator.forward(t, messages, x).value()));
  }
  return logits;
}

/// One step of training with whole ego-graphs for everything, every pair for itself.
gp::variable<double> loss_in_ego_graphs(gp::tape<double>& t, std::deque<gp::message_graph<node_id>>& graphs,
                                        const gp::dataset<double, node_id>& data, const support::appnp<double>& model,
                                        const generator_type& generator, const std::vector<node_id>& anchors,
                                        const gp::patcher_config& config) {
  const auto batch = gp::make_ego_batch({}, data.graph, anchors, {.hops = model.hops()});
  const auto masks = gp::draw_masks({}, batch, config, 0);
  const auto start = gp::corrupted_egos(batch, masks.start, 0);
  gp::node_features<double, node_id> x{&data.features, nullptr, {}};
  const auto build = [&](std::size_t patches) {
    graphs.push_back(gp::materialise<node_id>({}, batch, start, config.messages(patches)));
    x.graph = &graphs.back();
  };
  gp::variable<double> sum;
  for (std::size_t m = 0; m < config.strengths.size(); ++m) {
    build(m);
    const auto patch = generator.forward(t, *x.graph, x);
    x.patches.push_back(patch);
    build(m + 1);
    const bool last = m + 1 == config.strengths.size();
    gp::patch_targets<double> targets;
    const auto pairs = last ? gp::whole_egos(batch) : gp::corrupted_egos(batch, masks.targets[m]);
    targets.probabilities = gp::matrix<double>(pairs.size(), 3);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const auto alone = gp::materialise<node_id>({}, batch, std::span(&pairs[p], 1), config.messages(0));
      const auto logits = gp::predict(gp::cpu{}, model, alone, data.features);
      gp::softmax(gp::cpu{}, logits.view(), targets.probabilities.view().middle_rows(p, p + 1));
      targets.owner.push_back(static_cast<std::int32_t>(pairs[p].ego));
      targets.weights.push_back(1.0 / static_cast<double>(anchors.size()));
    }
    const auto term = gp::target_loss(gp::frozen_forward(t, model, *x.graph, x), targets, config.epsilon);
    sum = sum ? gp::add(sum, term) : term;
    x.patches.back() = t.constant(patch.value());
  }
  return sum;
}

}  // namespace

TEST_CASE("patched answers of a deep backbone are those of whole ego-graphs", "[patcher][deep]") {
  const auto data = sparse_data();
  const auto model = deep_model();
  const auto generator = backbones::shaken(generator_type({.features = 12, .hidden = 10, .seed = 3}), 1);
  const std::vector<node_id> anchors{4, 0, 88, 31, 7, 12};
  for (const auto degree : {gp::degree_mode::graph, gp::degree_mode::ego}) {
    for (const auto edge : {gp::patch_edge::to_anchor, gp::patch_edge::undirected}) {
      INFO((degree == gp::degree_mode::graph ? "graph" : "ego") << (edge == gp::patch_edge::undirected));
      const auto expected = patched_in_ego_graphs(data, model, generator, anchors, {degree, edge, 2});
      const auto got = gp::patch_nodes(gp::cpu{2}, data.graph, data.features, model, generator, anchors,
                                       {.patches = 2, .batch = 4, .degree = degree, .edge = edge})
                           .logits;
      for (std::size_t k = 0; k <= 2; ++k) {
        INFO(k << " patches");
        CHECK(support::same_bits(got[k], expected[k]));
      }
    }
  }
  const auto all = gp::predict(gp::cpu{}, model, data.graph, data.features);
  const auto none = gp::patch_nodes(gp::cpu{}, data.graph, data.features, model, gp::fixed_patch::zero, anchors,
                                    {.patches = 0, .batch = 2});
  for (std::size_t b = 0; b < anchors.size(); ++b) {
    CHECK(std::ranges::equal(none.logits[0].row(b), all.row(static_cast<std::size_t>(anchors[b]))));
  }
}

TEST_CASE("a deep backbone's training step is that of whole ego-graphs", "[patcher][deep]") {
  const auto data = sparse_data();
  const auto model = deep_model();
  auto config = toy::quick_config();
  config.dropout = 0;
  config.degree = GENERATE(gp::degree_mode::graph, gp::degree_mode::ego);
  config.reduction = gp::sample_reduction::sum;
  const std::vector<node_id> anchors{4, 2, 88, 31, 7, 12};
  generator_type by_hand({.features = 12, .hidden = 10, .dropout = 0, .seed = 3});
  by_hand = backbones::shaken(by_hand, 1);
  auto trained = by_hand;
  gp::generic_trainer<double, node_id, support::appnp<double>> trainer(gp::cpu{2}, data, model, config, trained);
  std::deque<gp::message_graph<node_id>> graphs;
  gp::tape<double> t;
  const auto loss = loss_in_ego_graphs(t, graphs, data, model, by_hand, anchors, config);
  CHECK(trainer.loss(anchors, 0) == loss.value()(0, 0));
  CHECK(trainer.step(anchors, 0)(0, 0) == loss.value()(0, 0));
  t.backward(loss);
  gp::adamw<double> optimizer(by_hand.parameters(),
                              {.learning_rate = config.learning_rate, .weight_decay = config.weight_decay});
  optimizer.step(gp::cpu{});
  for (std::size_t p = 0; p < by_hand.parameters().size(); ++p) {
    INFO(by_hand.parameters()[p]->name);
    CHECK(support::same_bits(trained.parameters()[p]->value, by_hand.parameters()[p]->value));
  }
}

TEST_CASE("a deep frozen model answers for equal masks once, with the bits of each alone", "[patcher][deep]") {
  const auto data = sparse_data();
  const auto model = deep_model();
  const gp::frozen_model frozen(gp::cpu{2}, model, data);
  CHECK(frozen.path() == gp::frozen_path::generic);
  const std::vector<node_id> anchors{4, 2, 88, 4, 4, 31};
  for (const double strength : {0.0, 0.5, 1.0}) {
    const gp::corruption_options options{.strength = strength, .samples = 6, .seed = 9};
    gp::matrix<double> logits(anchors.size() * 6, 3);
    frozen.answer(anchors, options, {.logits = logits.view()});
    for (std::size_t b = 0; b < anchors.size(); ++b) {
      const auto batch = gp::make_ego_batch({}, data.graph, std::vector{anchors[b]}, {.hops = 5});
      const auto masks = gp::corrupt({}, batch, options);
      const auto pairs = gp::corrupted_egos(batch, masks);
      for (std::size_t s = 0; s < 6; ++s) {
        const auto alone = gp::materialise<node_id>({}, batch, std::span(&pairs[s], 1));
        const auto expected = gp::predict(gp::cpu{}, model, alone, data.features);
        CHECK(std::ranges::equal(logits.row(b * 6 + s), expected.row(0)));
      }
    }
  }
}
