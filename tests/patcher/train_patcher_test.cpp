// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/train_patcher.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

std::vector<float> weights_of(gp::trained_patcher<float>& patcher) {
  std::vector<float> all;
  for (const auto* p : patcher.generator.parameters()) {
    all.insert(all.end(), p->value.values().begin(), p->value.values().end());
  }
  return all;
}

}  // namespace

TEST_CASE("training is the same bits for any number of threads and another for another seed", "[patcher]") {
  const auto data = toy::make<float>();
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  auto config = toy::quick_config();
  auto one = gp::train_patcher(gp::cpu{1}, data, model, config);
  auto three = gp::train_patcher(gp::cpu{3}, data, model, config);
  config.seed = 1;
  auto other = gp::train_patcher(gp::cpu{1}, data, model, config);
  CHECK(weights_of(one) == weights_of(three));
  CHECK(weights_of(one) != weights_of(other));
  REQUIRE(one.evaluations.size() == three.evaluations.size());
  CHECK(one.evaluations.back().training_loss == three.evaluations.back().training_loss);
}

TEST_CASE("training lowers the validation loss and keeps the best weights", "[patcher]") {
  const auto data = toy::make<float>(120, 260);
  const auto model = gp::train_backbone(gp::cpu{}, data, gp::gcn_config{.hidden = 8}, {.max_epochs = 100});
  auto config = toy::quick_config();
  config.stop = gp::stop_rule::loss;
  config.max_iterations = 120;
  config.patience = 100;
  config.dropout = 0.0;
  const auto loss = GENERATE(gp::patch_loss::paper, gp::patch_loss::released);
  config.loss = loss;
  auto patcher = gp::train_patcher(gp::cpu{}, data, model, config);
  REQUIRE(patcher.evaluations.size() >= 10);
  double lowest = patcher.evaluations.front().validation_loss;
  std::size_t best = 0;
  for (const auto& e : patcher.evaluations) {
    if (best == 0 || e.validation_loss < lowest) {
      lowest = e.validation_loss;
      best = e.iteration;
    }
  }
  CHECK(lowest < 0.9 * patcher.evaluations.front().validation_loss);
  CHECK(patcher.best_iteration == best);
  // the weights that are kept are those of that iteration: where a training that ends there ends
  config.max_iterations = best;
  auto ends_there = gp::train_patcher(gp::cpu{}, data, model, config);
  CHECK(weights_of(patcher) == weights_of(ends_there));
}

TEST_CASE("two batches accumulated make the step of their mean gradient", "[patcher]") {
  // One step over two batches: weights differ from the start by a single AdamW
  // step, whose first size is lr in every element with a gradient, decay aside.
  const auto data = toy::make<float>();
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  auto config = toy::quick_config();
  config.accumulate = 2;
  config.max_iterations = 2;
  config.weight_decay = 0;
  config.warmup = 2;
  config.evaluate_every = 2;
  auto patcher = gp::train_patcher(gp::cpu{}, data, model, config);
  gp::trained_patcher<float> start{gp::patch_generator<float>({.features = 12, .hidden = 12, .seed = 0}), config, {}};
  const auto before = weights_of(start);
  const auto after = weights_of(patcher);
  float largest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    largest = std::max(largest, std::abs(after[i] - before[i]));
  }
  CHECK(largest == Approx(config.learning_rate).epsilon(1e-3));
}

TEST_CASE("anchors are dealt out once an epoch, in an order of its own", "[patcher]") {
  gp::anchor_order<node_id> order({3, 5, 8, 9, 11}, 2, 7);
  const auto epoch = [&] {
    std::vector<node_id> dealt;
    for (const std::size_t size : {2, 2, 1}) {
      const auto batch = order.next();
      CHECK(batch.size() == size);
      dealt.insert(dealt.end(), batch.begin(), batch.end());
    }
    return dealt;
  };
  const auto first = epoch();
  CHECK(std::set<node_id>(first.begin(), first.end()) == std::set<node_id>{3, 5, 8, 9, 11});
  std::set<std::vector<node_id>> orders{first};
  for (int e = 0; e < 5; ++e) {
    orders.insert(epoch());
  }
  CHECK(orders.size() > 1);
  const auto data = toy::make<float>();
  CHECK(gp::training_anchors(data, gp::anchor_choice::connected).size() < data.nodes());
  for (const node_id v : gp::training_anchors(data, gp::anchor_choice::train)) {
    CHECK(v % 3 == 0);
    CHECK(data.graph.degree(static_cast<std::size_t>(v)) > 0);
  }
}

TEST_CASE("bad settings of a patcher are refused, each by its name", "[patcher]") {
  const auto data = toy::make<float>();
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  const auto refused = [&](auto change, const std::string& words) {
    auto config = toy::quick_config();
    change(config);
    CHECK_THROWS_AS(gp::train_patcher(gp::cpu{}, data, model, config), gp::argument_error);
    CHECK_THROWS_WITH(gp::train_patcher(gp::cpu{}, data, model, config), Catch::Contains(words));
  };
  refused([](auto& c) { c.strengths = {0.3, 0.6}; }, "decreasing strengths, got 0.6 after 0.3");
  refused([](auto& c) { c.strengths = {0.6, 0.6}; }, "decreasing");
  refused([](auto& c) { c.strengths = {1.2}; }, "[0, 1], got 1.2");
  refused([](auto& c) { c.strengths = {0.5, -0.1}; }, "[0, 1], got -0.1");
  refused([](auto& c) { c.strengths = {}; }, "at least one corruption strength");
  refused([](auto& c) { c.samples = 0; }, "expected samples in [1, 1000000]");
  refused([](auto& c) { c.batch = 0; }, "expected batch >= 1");
  refused([](auto& c) { c.batch = 61; }, "batch of at most");
  refused([](auto& c) { c.accumulate = 0; }, "expected accumulate >= 1");
  refused([](auto& c) { c.hidden = 0; }, "expected hidden in [1, 1000000]");
  refused([](auto& c) { c.dropout = 1.0; }, "expected dropout in [0, 1)");
  refused([](auto& c) { c.learning_rate = 0; }, "expected learning_rate > 0");
  refused([](auto& c) { c.max_iterations = 0; }, "expected max_iterations >= 1");
  refused([](auto& c) { c.patches = 0; }, "expected patches in [1, 1000]");
  CHECK_THROWS_AS(gp::train_patcher(gp::cpu{0}, data, model, toy::quick_config()), gp::argument_error);

  auto unconnected = data;
  unconnected.graph = gp::csr_graph<node_id>(std::vector<node_id>(data.nodes() + 1, 0), {});
  CHECK_THROWS_WITH(gp::train_patcher(gp::cpu{}, unconnected, model, toy::quick_config()),
                    Catch::Contains("no node has a neighbour"));
  auto unvalidated = data;
  unvalidated.split.validation.clear();
  CHECK_THROWS_AS(gp::train_patcher(gp::cpu{}, unvalidated, model, toy::quick_config()), gp::argument_error);
}
