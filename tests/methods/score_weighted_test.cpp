// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/score_weighted.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/methods/run_method.hpp"
#include "methods/run_support.hpp"

namespace gp = graphpatcher;
using toy::node_id;

TEST_CASE("the rule scored: the backbone, each number of patches of the first patcher, and what the rule answers",
          "[methods]") {
  const auto data = toy::make<float>(200, 400);
  const auto model = gp::train_backbone(gp::cpu{2}, data, toy::small_gcn, {.learning_rate = 0.02, .max_epochs = 30});
  const auto patchers = gp::train_weighted_patchers(gp::cpu{2}, data, model, toy::quick_config());
  const auto run = gp::score_weighted(gp::cpu{2}, data, model, patchers);
  const auto first = gp::score_run(gp::cpu{2}, data, model, patchers[0]);
  REQUIRE(run.by_patches.size() == first.by_patches.size());
  for (std::size_t n = 0; n < first.by_patches.size(); ++n) {
    CHECK(run.by_patches[n].overall == first.by_patches[n].overall);
  }
  CHECK(run.rule == gp::patch_rule::weighted);
  CHECK(run.iterations == patchers[0].iterations + patchers[1].iterations);
  CHECK(run.backbone_curve.size() == first.backbone_curve.size());

  const gp::weighted_predictor<float, node_id> rule(gp::cpu{2}, data, model, {patchers[0], patchers[1]});
  REQUIRE(run.decision.has_value());
  CHECK(run.decision == rule.fitted().decision());
  CHECK(run.decision->report() == rule.fitted().decision().report());
  REQUIRE(run.answer.has_value());
  std::size_t right = 0;
  for (const node_id v : data.split.test) {
    const auto row = rule.logits().row(static_cast<std::size_t>(v));
    right += std::max_element(row.begin(), row.end()) - row.begin() == data.labels[static_cast<std::size_t>(v)] ? 1 : 0;
  }
  CHECK(run.after().overall ==
        Approx(100.0 * static_cast<double>(right) / static_cast<double>(data.split.test.size())));

  const auto shown = gp::evaluate(gp::cpu{2}, data, model, patchers);
  CHECK_THAT(shown.table(), Catch::Contains("weighted") && Catch::Contains("verdict: "));
  CHECK(shown.run().answer->overall == run.answer->overall);
  CHECK_THROWS_WITH(gp::evaluate(gp::cpu{2}, data, model, std::vector<gp::trained_patcher<float>>{}),
                    Catch::Contains("at least one patcher"));
}

TEST_CASE("run_method: what a method with one answer leaves stands beside the backbone", "[methods]") {
  const auto data = toy::make<float>(200, 400);
  const gp::fit_options fit{.learning_rate = 0.02, .max_epochs = 12, .patience = 12};
  const auto run = [&](const char* name, gp::patch_rule rule = gp::patch_rule::validated) {
    return gp::run_method(name, gp::cpu{2}, data, toy::small_gcn, toy::quick_config(), 1, fit, rule);
  };
  const auto none = run("none");
  CHECK(!none.answer);
  for (const char* name : {"spread", "tuneup", "weighted-fast"}) {
    INFO(name);
    const auto found = run(name);
    REQUIRE(found.answer.has_value());
    CHECK(found.by_patches.size() == 1);
    CHECK(found.before().overall == none.before().overall);
    CHECK(found.decision.has_value() == (std::string(name) == "weighted-fast"));
    double after = 0, nodes = 0;
    for (const auto& row : found.by_degree) {
      after += row.after * static_cast<double>(row.nodes);
      nodes += static_cast<double>(row.nodes);
    }
    CHECK(after / nodes == Approx(found.answer->overall));
  }
  const auto copies = run("copy", gp::patch_rule::always);
  CHECK(!copies.answer);
  CHECK(copies.chosen == 2);
  CHECK(copies.rule == gp::patch_rule::always);
}
