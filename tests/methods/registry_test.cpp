// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/registry.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "methods/run_support.hpp"
#include "support/compare.hpp"

namespace gp = graphpatcher;
using toy::node_id;
using any = gp::some_backbone<float, node_id>;

TEST_CASE("registry: methods by name, each with a sentence", "[methods]") {
  std::vector<std::string> names;
  for (const auto& info : gp::methods::infos) {
    names.emplace_back(info.name);
    CHECK(info.help.size() > 10);
    CHECK(&gp::methods::find(info.name) == &info);
  }
  CHECK(names == std::vector<std::string>{"none", "zero", "mean", "copy", "untrained", "graphpatcher", "weighted",
                                          "weighted-fast", "weighted-controls", "spread", "densify", "duplicate", "mlp",
                                          "propagate", "correct-and-smooth", "dropedge", "tuneup"});
  CHECK_THROWS_WITH(gp::methods::find("magic"),
                    Catch::Contains("no method is called 'magic'; there are none, zero, mean, copy, untrained"));
}

TEST_CASE("registry: every method leaves a way to predict", "[methods]") {
  const auto data = toy::make<float>();
  for (const auto& info : gp::methods::infos) {
    INFO(info.name);
    const auto run = toy::run_of(info.name, data);
    REQUIRE(run.predict);
    const auto logits = run.predict(data.split.test, 2);
    CHECK((run.iterations > 0) == (info.role == gp::method_role::rival || gp::trains_patches(info)));
    const bool answers_alone = run.decision || !run.settings.empty();
    if (answers_alone && info.name != "untrained" && info.role != gp::method_role::rival) {
      REQUIRE(logits.size() == 1);
      gp::expects_finite(logits.front().view(), "logits");
      continue;
    }
    const bool patches = info.role == gp::method_role::control || info.role == gp::method_role::patcher;
    REQUIRE(logits.size() == (patches ? 3 : 1));
    const auto answers = gp::predict(gp::cpu{}, run.backbone, data.graph, data.features);
    for (std::size_t i = 0; i < data.split.test.size(); ++i) {
      const auto row = answers.row(static_cast<std::size_t>(data.split.test[i]));
      for (std::size_t c = 0; c < data.classes; ++c) {
        CHECK(logits[0](i, c) == Approx(row[c]).epsilon(1e-4).margin(1e-5));  // patching sums in another order
      }
    }
  }
}

TEST_CASE("registry: methods joined by + act one after the other", "[methods]") {
  const auto data = toy::make<float>();
  auto run = toy::run_of("tuneup", data);
  gp::methods::run("spread", run);
  const auto joined = toy::run_of("tuneup+spread", data);
  CHECK(std::ranges::equal(toy::answers_of(run).values(), toy::answers_of(joined).values()));
  CHECK(toy::setting_of(joined, "spread") == toy::setting_of(run, "spread"));
  CHECK(!std::ranges::equal(toy::answers_of(toy::run_of("spread", data)).values(), toy::answers_of(joined).values()));

  CHECK(gp::methods::find("graphpatcher+spread").name == "graphpatcher");  // whose options bear on it
  CHECK(gp::methods::find("spread+propagate").name == "propagate");
  CHECK_THROWS_WITH(gp::methods::find("graphpatcher+magic"), Catch::StartsWith("no method is called 'magic'"));
  CHECK_THROWS_WITH(gp::methods::find("spread+"), Catch::StartsWith("no method is called ''"));
  CHECK_THROWS_AS(toy::run_of("magic+spread", data), gp::argument_error);
}

TEST_CASE("registry: graphpatcher is a patcher trained and used by hand", "[methods]") {
  const auto data = toy::make<float>();
  const auto run = toy::run_of("graphpatcher", data);
  const auto model = gp::train_backbone(gp::cpu{}, data, toy::small_gcn, run.fit);
  auto patching = run.patcher;
  patching.seed = 1;
  const auto trained = gp::train_patcher(gp::cpu{}, data, model, patching);
  auto how = gp::patching_as(patching);
  how.patches = 2;
  const auto expected =
      gp::patch_nodes(gp::cpu{}, data.graph, data.features, model, trained.generator, data.split.test, how).logits;
  const auto found = run.predict(data.split.test, 2);
  REQUIRE(found.size() == expected.size());
  for (std::size_t n = 0; n < found.size(); ++n) {
    CHECK(std::ranges::equal(found[n].values(), expected[n].values()));
  }
  CHECK(run.iterations == trained.iterations);
  CHECK(run.path == trained.path);
  CHECK(run.curve.size() == trained.evaluations.size());
}

TEST_CASE("some_backbone: trains to the same bits as what is inside, copies apart, pointers kept", "[methods]") {
  const auto data = toy::make<float>();
  gp::gcn_backbone<float> model(toy::small_gcn, data.features.cols(), data.classes);
  any held = model;
  const any copy = held;
  const auto* const address = held.parameters()[0];
  const gp::fit_options options{.learning_rate = 0.02, .max_epochs = 5};
  CHECK(gp::fit(gp::cpu{}, data, held, options).loss == gp::fit(gp::cpu{}, data, model, options).loss);
  CHECK(held.parameters()[0] == address);
  CHECK(std::ranges::equal(held.parameters()[0]->value.values(), model.parameters()[0]->value.values()));
  CHECK(!std::ranges::equal(any(copy).parameters()[0]->value.values(), model.parameters()[0]->value.values()));
  held = any(gp::gcn_backbone<float>({.layers = 3, .hidden = 4}, data.features.cols(), data.classes));
  CHECK(held.hops() == 3);
  CHECK(held.classes() == 3);
}
