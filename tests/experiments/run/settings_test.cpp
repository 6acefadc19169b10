// SPDX-License-Identifier: MIT
#include "experiments/run/settings.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "graphpatcher/core/option_text.hpp"
#include "graphpatcher/patcher/config_words.hpp"

namespace gp = graphpatcher;

TEST_CASE("a preset and its changes make a config", "[experiments]") {
  const auto released = gp::parse_setting("released", "cora", "gcn");
  CHECK(released.loss == gp::patch_loss::released);
  CHECK(released.hidden == 1024);
  CHECK(released.batch == 64);
  CHECK(gp::parse_setting("released", "citeseer", "gcn").batch == 32);
  const auto paper = gp::parse_setting("paper", "cora", "gcn");
  CHECK(paper.loss == gp::patch_loss::paper);
  CHECK(paper.accumulate == 16);
  CHECK(paper.warmup == 1600);  // 100 steps of 16 batches
  CHECK(paper.stop == gp::stop_rule::loss);
  const auto changed =
      gp::parse_setting("released  loss=paper hidden=128 learning-rate=1e-3 estimator=exact", "cora", "gcn");
  CHECK(changed.loss == gp::patch_loss::paper);
  CHECK(changed.hidden == 128);
  CHECK(changed.learning_rate == 1e-3);
  CHECK(changed.estimator == gp::estimator::exact);
  CHECK(gp::parse_setting("spread spread-over=similar spread_steps=1", "pubmed", "gcn").spread.over ==
        gp::spread_over::similar);
  for (const auto preset : {"released", "paper", "small", "spread"}) {
    gp::parse_setting(preset, "amazon-photo", "sage").check();
  }
}

TEST_CASE("where nothing was released, a step has the anchors of the paper's", "[experiments]") {
  for (const auto& [dataset, batch, accumulate] :
       {std::tuple{"amazon-photo", 16u, 16u}, {"coauthor-cs", 4u, 16u}, {"wiki-cs", 8u, 32u}}) {
    const auto paper = gp::parse_setting("paper", dataset, "gcn");
    CHECK(paper.batch == batch);
    CHECK(paper.accumulate == accumulate);
    for (const auto preset : {"released", "small", "spread"}) {
      const auto config = gp::parse_setting(preset, dataset, "gcn");
      CHECK(config.batch == batch * accumulate);
      CHECK(config.accumulate == 1);
    }
  }
  CHECK(gp::parse_setting("small", "actor", "gcn").batch == 64);  // neither released nor in the table
}

TEST_CASE("strengths come as a step or as a list", "[experiments]") {
  const auto step = gp::parse_setting("released strength=0.3", "cora", "gcn").strengths;
  CHECK(step == std::vector{0.9, 0.6, 0.3});
  CHECK(gp::parse_setting("released strength=0.3", "cora", "gcn") == gp::parse_setting("released", "cora", "gcn"));
  CHECK(gp::parse_setting("released strength=0.4", "cora", "gcn").strengths.size() == 2);
  CHECK(gp::parse_setting("released strength=0.1", "cora", "gcn").strengths.size() == 9);
  CHECK(gp::parse_setting("released strength=0.2", "cora", "gcn").strengths.size() == 4);  // 1.0 would drop everything
  CHECK(gp::parse_setting("released strengths=0.5/0.25/0", "cora", "gcn").strengths == std::vector{0.5, 0.25, 0.0});
  CHECK_THROWS_AS(gp::parse_setting("released strength=1", "cora", "gcn"), gp::argument_error);
}

TEST_CASE("a setting can change every option but those that are an experiment's", "[experiments]") {
  std::string setting = "released";
  std::size_t changes = 0;
  gp::patcher_config wanted;
  wanted.epsilon = 1e-9;
  wanted.backprop_through_steps = true;
  wanted.strengths = {0.5, 0.25};
  wanted.path = gp::patch_path::generic;
  wanted.edge = gp::patch_edge::undirected;
  gp::for_each_option(wanted, [&](const gp::option& o, const auto& value) {
    if (o.name != "seed" && o.name != "patches" && o.name != "quiet" && o.name != "capture") {
      setting += " " + gp::typed_name(o.name) + "=" + gp::option_text(value);
      ++changes;
    }
  });
  CHECK(changes == 27);
  CHECK(gp::parse_setting(setting, "cora", "gcn") == wanted);
}

TEST_CASE("best is small, for the rule, which has a target of its own for each patcher", "[experiments]") {
  CHECK(gp::parse_setting("best", "citeseer", "gcn") == gp::parse_setting("small", "citeseer", "gcn"));
  CHECK(gp::parse_setting("best hidden=64", "cora", "gcn") == gp::parse_setting("small hidden=64", "cora", "gcn"));
  CHECK_THROWS_WITH(gp::parse_setting("best target=spread", "cora", "gcn"), Catch::Contains("target=spread"));
}

TEST_CASE("tuned stands for what was found for this dataset and backbone", "[experiments]") {
  const gp::tuned_settings tuned{{"cora-gcn", "spread hidden=64"}};
  const auto config = gp::parse_setting("tuned loss=paper", "cora", "gcn", tuned);
  CHECK(config.hidden == 64);
  CHECK(config.target == gp::patch_target::spread);
  CHECK(config.loss == gp::patch_loss::paper);
  CHECK_THROWS_WITH(gp::parse_setting("tuned", "cora", "gat", tuned), Catch::Contains("--tune"));
}

TEST_CASE("settings that mean nothing are refused", "[experiments]") {
  const auto parse = [](const char* setting) { return gp::parse_setting(setting, "cora", "gcn"); };
  CHECK_THROWS_WITH(parse(""), Catch::Contains("begin with a preset"));
  CHECK_THROWS_WITH(parse("hidden=3"), Catch::Contains("begin with a preset"));
  CHECK_THROWS_WITH(parse("released width=3"), Catch::Contains("no option is called 'width'"));
  CHECK_THROWS_WITH(parse("released hidden"), Catch::Contains("name=value"));
  CHECK_THROWS_WITH(parse("released hidden=12x"),
                    Catch::Contains("expected a whole number in [1, 1000000]; got '12x'"));
  CHECK_THROWS_WITH(parse("released hidden=-1"), Catch::Contains("expected a whole number"));
  CHECK_THROWS_WITH(parse("released hiden=12"), Catch::Contains("did you mean hidden?"));
  CHECK_THROWS_WITH(parse("released over=both"), Catch::Contains("it is called spread-over now"));
  CHECK_THROWS_WITH(parse("released samples=0"),
                    Catch::Contains("samples: expected a whole number in [1, 1000000]; got '0'"));
  for (const char* fixed : {"seed=1", "patches=3", "quiet=true", "capture=true"}) {
    CHECK_THROWS_WITH(parse((std::string("released ") + fixed).c_str()), Catch::Contains("the same for all settings"));
  }
  CHECK_THROWS_WITH(parse("released loss=mine"), Catch::Contains("paper, released"));
}
