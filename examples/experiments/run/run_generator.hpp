// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "experiments/run/run_cell.hpp"
#include "graphpatcher/patcher/config_words.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"

namespace graphpatcher {

template <class Backbone>
void run_generator(const executor& exec, const experiment_data& data, const Backbone& model, const cell_scorer& scorer,
                   const cell_options& options, cell_result& cell) {
  const auto& key = cell.key;
  const auto score = [&](const patch_generator<float>& generator, patching_options patching) {
    patching.patches = options.patches;
    scorer.score(patch_nodes(exec, data.graph, data.features, model, generator, scorer.nodes(), patching).logits,
                 options.most, cell);
  };
  if (key.method == "untrained") {
    const patch_generator<float> generator({.features = data.features.cols(), .seed = key.seed});
    cell.settings.set("hidden", generator.hidden());
    score(generator, {});
    return;
  }
  expects(key.method == "graphpatcher", "experiment: no method is called '", key.method,
          "'; there are none, zero, mean, copy, untrained and graphpatcher");
  const auto config = cell_config(key, options);
  const auto trained = train_patcher(exec, data, model, config);
  score(trained.generator, patching_as(config));
  cell.settings = settings_of(config);
  cell.path = word_of(trained.path);
  cell.iterations = trained.iterations;
  for (const auto& evaluation : trained.evaluations) {
    const auto& shares = evaluation.validation_accuracies;
    cell.curve.push_back({evaluation.iteration, evaluation.training_loss,
                          shares.empty() ? undefined_metric : *std::ranges::max_element(shares)});
  }
}

}  // namespace graphpatcher
