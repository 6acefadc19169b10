// SPDX-License-Identifier: MIT
#include "graphpatcher/io/patcher_checkpoint.hpp"

#include "graphpatcher/models/gcn.hpp"
#include "io/checkpoint_support.hpp"

namespace gp = graphpatcher;
using gp_test::taken_apart;

namespace {

/// No setting is the default one.
gp::patcher_config unusual() {
  return {.hidden = 6,
          .dropout = 0.3,
          .strengths = {0.8, 0.1},
          .samples = 2,
          .estimator = gp::estimator::exact,
          .degree = gp::degree_mode::ego,
          .edge = gp::patch_edge::to_anchor_loop,
          .path = gp::patch_path::generic,
          .loss = gp::patch_loss::paper,
          .reduction = gp::sample_reduction::mean,
          .target = gp::patch_target::spread,
          .spread = {.over = gp::spread_over::similar, .similar = 3, .weight = 0.5, .steps = 1},
          .epsilon = 1e-9,
          .backprop_through_steps = true,
          .anchors = gp::anchor_choice::train,
          .batch = 5,
          .accumulate = 2,
          .learning_rate = 1e-2,
          .weight_decay = 1e-3,
          .max_iterations = 12,
          .stop = gp::stop_rule::loss,
          .warmup = 3,
          .evaluate_every = 3,
          .patience = 4,
          .patches = 2,
          .seed = 11,
          .quiet = true,
          .capture = true};
}

std::string json_of(gp::patcher_config config) {
  gp::fields_writer fields;
  list_fields(fields, config);
  return gp::json_text(fields.json);
}

}  // namespace

TEST_CASE("patcher checkpoint: saved and loaded, it patches with the same bits", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "patcher.safetensors";
  const auto data = toy::make<float>();
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  const auto patcher = gp::train_patcher(gp::cpu{}, data, model, unusual());
  gp::save_patcher(path, patcher, {{"backbone", "gcn"}});
  const auto back = gp::load_patcher<float>(path);

  CHECK(gp_test::weights_of(back.generator) == gp_test::weights_of(patcher.generator));
  const auto anchors = toy::all_nodes(data.nodes());
  const auto patch = [&](const gp::trained_patcher<float>& p) {
    return gp::patch_nodes(gp::cpu{}, data.graph, data.features, model, p.generator, anchors, {.patches = 2});
  };
  const auto before = patch(patcher);
  const auto after = patch(back);
  for (std::size_t k = 0; k <= 2; ++k) {
    CHECK(std::ranges::equal(before.logits[k].values(), after.logits[k].values()));
  }
  CHECK(json_of(back.config) == json_of(unusual()));
  CHECK(json_of(back.config) != json_of({}));
  CHECK(back.iterations == patcher.iterations);
  CHECK(back.best_iteration == patcher.best_iteration);
  CHECK(back.path == patcher.path);
  CHECK(back.seconds == patcher.seconds);
  REQUIRE(back.evaluations.size() == patcher.evaluations.size());
  for (std::size_t e = 0; e < back.evaluations.size(); ++e) {
    CHECK(back.evaluations[e].iteration == patcher.evaluations[e].iteration);
    CHECK(back.evaluations[e].training_loss == patcher.evaluations[e].training_loss);
    CHECK(back.evaluations[e].score() == patcher.evaluations[e].score());
  }
  CHECK(gp::read_checkpoint_info(path).notes.at("backbone") == "gcn");
}

TEST_CASE("patcher checkpoint: what is no such checkpoint is refused, with the reason", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "patcher.safetensors";
  gp::trained_patcher<float> patcher{gp::patch_generator<float>({.features = 3, .hidden = 2}), {.hidden = 2}, {}};
  gp::save_patcher(path, patcher);
  const auto check = [&](const std::function<void(taken_apart&)>& change, const std::string& message) {
    gp_test::check_refused(
        path, change, [](const std::filesystem::path& file) { gp::load_patcher<float>(file); }, message);
  };
  using parts = taken_apart;
  check([](parts& p) { p.metadata["graphpatcher.kind"] = "gcn"; },
        "expected a checkpoint of kind patcher, got kind gcn");
  check([](parts& p) { p.metadata["graphpatcher.format"] = "99"; }, "update this library");
  check([](parts& p) { p.change_config("\"hidden\":2", "\"hidden\":0"); }, "expected hidden in [1, 1000000], got 0");
  check([](parts& p) { p.change_config("\"samples\":10", "\"samples\":0"); },
        "expected samples in [1, 1000000], got 0");
  check([](parts& p) { p.change_config("\"hidden\":2", "\"hidden\":1000000"); }, "more weights than the file");
  check([](parts& p) { p.change_config("\"features\":3", "\"features\":1099511627776"); },
        "more weights than the file");
  check([](parts& p) { p.change_config("\"features\":3", "\"features\":2"); }, "expected shape");
  check([](parts& p) { p.change_config("\"loss\":\"released\"", "\"loss\":\"best\""); },
        "config.patcher.loss: expected one of paper, released, got 'best'");
  check([](parts& p) { p.state.erase("encoder.1.bias"); }, "expected a tensor 'encoder.1.bias' [2], which is missing");
  check([](parts& p) { p.state["more"] = {{1}, {1}}; }, "got the tensor 'more' as well");

  patcher.config.hidden = 3;
  CHECK_THROWS_AS(gp::save_patcher(path, patcher), gp::shape_error);
}
