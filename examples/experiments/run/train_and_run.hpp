// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "experiments/run/run_cell.hpp"
#include "experiments/run/stored_backbone.hpp"
#include "experiments/run/unit_run.hpp"
#include "graphpatcher/core/interrupt.hpp"

namespace graphpatcher {

/// A unit on the backbone that `config` makes.
template <class Config>
void train_and_run(const unit_run& run, const Config& config) {
  const cpu exec{1};
  const auto file =
      run.options.backbones.empty()
          ? std::filesystem::path()
          : run.options.backbones / text(run.unit.dataset, "-", run.unit.backbone, "-", run.unit.seed, ".safetensors");
  const std::string name = text(run.unit.dataset, " ", run.unit.backbone, " seed ", run.unit.seed);
  run.show(name + ": training the backbone", 0);
  auto fitting = run.options.fit;
  fitting.watch = [&](const training_history& history) {
    run.show(history.epochs() % 10 == 0 ? text(name, ": training the backbone, epoch ", history.epochs()) : "", 0);
    if (run.options.fit.watch) {
      run.options.fit.watch(history);
    }
  };
  const auto model = trained_or_stored(exec, run.data, config, fitting, file);
  using model_type = typename Config::template model_type<float>;
  fitting.seed = run.unit.seed;
  cell_backbone backbone{model_type(config, run.data.features.cols(), run.data.classes),
                         static_cast<const model_type&>(model), fitting};
  const cell_scorer scorer(run.data, [&](std::span<const std::int32_t> nodes) {
    return backbone.trained.patch(exec, run.data, fixed_patch::zero, nodes, {.patches = 0}).front();
  });
  for (const auto& key : run.missing) {
    throw_if_interrupted("experiments");
    run.show(text(name, ": ", key.method, " ", key.setting), 0);
    auto cell = run_cell(exec, run.data, backbone, scorer, key, run.options.cell);
    cell.backbone_seconds = model.history.seconds;
    cell.settings.set("backbone_epochs", model.history.epochs());
    cell.settings.set("training_nodes", run.data.split.train.size());
    cell.settings.set("validation_nodes", run.data.split.validation.size());
    cell.settings.set("test_nodes", run.data.split.test.size());
    run.results.add(std::move(cell));
    run.show("", 1);
  }
}

}  // namespace graphpatcher
