// SPDX-License-Identifier: MIT
#include "graphpatcher/io/weighted_checkpoint.hpp"

#include "graphpatcher/io/backbone_checkpoint.hpp"
#include "graphpatcher/io/patcher_checkpoint.hpp"
#include "graphpatcher/methods/weighted_predictor.hpp"
#include "io/checkpoint_support.hpp"

namespace gp = graphpatcher;
using gp_test::taken_apart;
using toy::node_id;

namespace {

constexpr gp::gcn_config backbone_config{.hidden = 8, .seed = 3};

struct fitted_rule {
  gp::dataset<float, node_id> data = toy::make<float>(200, 400);
  gp::trained<gp::gcn_backbone<float>> model =
      gp::train_backbone(gp::cpu{}, data, backbone_config, {.learning_rate = 0.02, .max_epochs = 30});
  std::vector<gp::trained_patcher<float>> patchers = gp::train_weighted_patchers(
      gp::cpu{}, data, model,
      {.hidden = 6, .max_iterations = 12, .warmup = 4, .evaluate_every = 4, .patches = 2, .quiet = true});
  gp::weighted_predictor<float, node_id> rule{
      gp::cpu{}, data, model, {patchers[0], patchers[1]}, {.evidence = -1e9, .evidence_otherwise = -1e9}};
};

}  // namespace

TEST_CASE("weighted checkpoint: saved and loaded, the rule answers with the same bits", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const fitted_rule f;
  gp::save_backbone(folder.path() / "backbone.safetensors", f.model, backbone_config);
  gp::save_patcher(folder.path() / "own.safetensors", f.patchers[0]);
  gp::save_patcher(folder.path() / "spread.safetensors", f.patchers[1]);
  const auto path = folder.path() / "rule.safetensors";
  gp::save_weighted(path, f.rule.fitted(), f.model, f.patchers, {{"dataset", "toy"}});
  CHECK(gp::read_checkpoint_info(path).kind == "weighted");
  CHECK(gp::read_checkpoint_info(path).notes.at("dataset") == "toy");

  const auto model = gp::load_backbone<gp::gcn_config, float>(folder.path() / "backbone.safetensors");
  const std::vector patchers{gp::load_patcher<float>(folder.path() / "own.safetensors"),
                             gp::load_patcher<float>(folder.path() / "spread.safetensors")};
  const auto fit = gp::load_weighted(path, model, patchers);
  CHECK(fit == f.rule.fitted());
  const gp::weighted_predictor<float, node_id> rule(model, {patchers[0], patchers[1]}, fit);
  auto unlabelled = f.data;
  unlabelled.split = {};
  CHECK(std::ranges::equal(rule.predict(gp::cpu{2}, unlabelled).values(), f.rule.logits().values()));
}

TEST_CASE("weighted checkpoint: other models than it was fitted with are refused", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const fitted_rule f;
  const auto path = folder.path() / "rule.safetensors";
  gp::save_weighted(path, f.rule.fitted(), f.model, f.patchers);
  const auto refused = [&](const auto& model, const std::vector<gp::trained_patcher<float>>& patchers,
                           const std::string& message) {
    try {
      gp::load_weighted(path, model, patchers);
      FAIL_CHECK("no error, expected: " << message);
    } catch (const gp::file_error& failure) {
      CHECK(failure.path() == path.string());
      CHECK_THAT(failure.what(), Catch::Contains(message));
    }
  };
  auto other = f.model;
  other.layers[0].weight.value(0, 0) += 1e-6F;
  refused(other, f.patchers, "fitted with a backbone of other weights");
  refused(f.model, {f.patchers[1], f.patchers[0]}, "a patcher 'own' of other weights in place 0");
  refused(f.model, {f.patchers[0]}, "fitted with 2 patchers, got 1");
  refused(f.model, {}, "fitted with 2 patchers, got 0");
  auto patchers = f.patchers;
  patchers[1].config.edge = gp::patch_edge::to_anchor_loop;
  refused(f.model, patchers, "made with edge");
  CHECK_THROWS_AS(gp::save_weighted(path, f.rule.fitted(), f.model, std::vector{f.patchers[0]}), gp::argument_error);
  auto wrong = f.rule.fitted();
  wrong.candidates.clear();
  CHECK_THROWS_AS(gp::save_weighted(path, wrong, f.model, f.patchers), gp::argument_error);
  CHECK(gp::load_weighted(path, f.model, f.patchers) == f.rule.fitted());  // the file is as it was
}

TEST_CASE("weighted checkpoint: what is no such checkpoint is refused, with the reason", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "rule.safetensors";
  gp::weighted_fit fit;
  fit.sources = {"own"};
  fit.accepted = true;
  fit.candidates = {{.base = {1, 2}, .steps = 1, .kappa = 0.5, .beta_before = 3, .beta = 1.25, .weight = 1}};
  const gp::gcn_backbone<float> model({.hidden = 2}, 3, 2);
  const std::vector patchers{
      gp::trained_patcher<float>{gp::patch_generator<float>({.features = 3, .hidden = 2}), {.hidden = 2}, {}}};
  gp::save_weighted(path, fit, model, patchers);
  CHECK(gp::load_weighted(path, model, patchers) == fit);
  const auto check = [&](const std::function<void(taken_apart&)>& change, const std::string& message) {
    gp_test::check_refused(
        path, change, [&](const std::filesystem::path& file) { gp::load_weighted(file, model, patchers); }, message);
  };
  using parts = taken_apart;
  check([](parts& p) { p.metadata["graphpatcher.kind"] = "gcn"; },
        "expected a checkpoint of kind weighted, got kind gcn");
  check([](parts& p) { p.metadata["graphpatcher.format"] = "99"; }, "update this library");
  check([](parts& p) { p.metadata.erase("graphpatcher.config"); }, "expected a checkpoint of graphpatcher");
  check([](parts& p) { p.change_config("\"over\":\"both\"", "\"over\":\"all\""); },
        "config.fit.candidates[0].over: expected one of similar, both, got 'all'");
  check([](parts& p) { p.change_config("\"weight\":1", "\"weight\":-1"); }, "weights above 0");
  check([](parts& p) { p.change_config("\"beta\":1.25", "\"beta\":null"); }, "weights above 0");
  check([](parts& p) { p.change_config("\"source\":1", "\"source\":2"); }, "names source 2");
  check([](parts& p) { p.change_config("\"steps\":1", "\"steps\":99"); }, "at most 2 steps");
  check([](parts& p) { p.change_config("\"similar\":20", "\"similar\":0"); }, "at least 1 similar node");
  check([](parts& p) { p.change_config("\"sources\":[\"own\"]", "\"sources\":[\"own\",\"more\"]"); },
        "expected a patcher for each of 2 sources, got 1");
  check([](parts& p) { p.change_config("\"accepted\":true", "\"accepted\":1"); },
        "config.fit.accepted: expected true or false");
  check([](parts& p) { p.change_config("\"agreement\"", "\"agreed\""); }, "config.fit.agreement: expected this field");
}
