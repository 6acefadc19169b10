// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/eval/peak_memory.hpp"
#include "graphpatcher/eval/run_seed.hpp"
#include "experiments/cell_scorer.hpp"
#include "experiments/settings.hpp"
#include "graphpatcher/patcher/fixed_patches.hpp"

namespace graphpatcher {

struct cell_options {
  std::size_t patches = 8;  ///< results with 0, 1, ..., this many
  std::size_t most = 5;     ///< the number is chosen among 0, 1, ..., this
  best_settings best{};     ///< what the preset `best` stands for
};

/// How GraphPatcher is set in a cell.
inline patcher_config cell_config(const cell_key& key, const cell_options& options) {
  auto config = parse_setting(key.setting, key.dataset, key.backbone, options.best);
  config.seed = key.seed;
  config.quiet = true;
  config.patches = options.most;
  return config;
}

/// The same by name, as a cell keeps it.
inline run_settings settings_of(const patcher_config& config) {
  run_record described;
  describe(config, described);
  described.settings.set("loss", described.loss);
  described.settings.set("degree", described.degree);
  return described.settings;
}

/// Whether a finished cell is what its key stands for now: presets change, and so does what a search found to be best.
/// Options that only one of the two knows say nothing.
inline bool is_current(const cell_result& cell, const cell_options& options) {
  if (cell.key.method != "graphpatcher") {
    return true;
  }
  const auto now = settings_of(cell_config(cell.key, options));
  return std::ranges::none_of(now.entries(), [&](const run_settings::entry& option) {
    return std::ranges::any_of(cell.settings.entries(), [&](const run_settings::entry& kept) {
      return kept.first == option.first && setting_text(kept.second) != setting_text(option.second);
    });
  });
}

/// Runs one method on a trained backbone and scores it. Labels of validation
/// nodes choose the weights and the number of patches; labels of other nodes
/// outside of training are used for the scores only.
template <class T, graph_index I, backbone_for<T, I> Backbone>
cell_result run_cell(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                     const cell_scorer<T, I>& scorer, const cell_key& key, const cell_options& options = {}) {
  const auto started = std::chrono::steady_clock::now();
  cell_result cell;
  cell.key = key;
  patching_options patching{.patches = options.patches};
  const auto patch_with = [&](const auto& patches) {
    return patch_nodes(exec, data.graph, data.features, model, patches, scorer.nodes(), patching).logits;
  };
  cell.path = word_of(choose_path(patching.path, why_not_fast(exec, model, patching.degree, patching.edge)));
  if (key.method == "none") {
    patching.patches = 0;
    scorer.score(patch_with(fixed_patch::zero), 0, cell);
  } else if (key.method == "zero") {
    scorer.score(patch_with(fixed_patch::zero), options.most, cell);
  } else if (key.method == "mean") {
    scorer.score(patch_with(fixed_patch::mean), options.most, cell);
  } else if (key.method == "copy") {
    scorer.score(patch_with(fixed_patch::copy), options.most, cell);
  } else if (key.method == "untrained") {
    const patch_generator<T> generator({.features = data.features.cols(), .seed = key.seed});
    cell.settings.set("hidden", generator.hidden());
    scorer.score(patch_with(generator), options.most, cell);
  } else {
    expects(key.method == "graphpatcher", "experiment: no method is called '", key.method,
            "'; there are none, zero, mean, copy, untrained and graphpatcher");
    const auto config = cell_config(key, options);
    const auto trained = train_patcher(exec, data, model, config);
    patching = patching_as(config);
    patching.patches = options.patches;
    scorer.score(patch_with(trained.generator), options.most, cell);
    cell.settings = settings_of(config);
    cell.path = word_of(trained.path);
    cell.iterations = trained.iterations;
    for (const auto& evaluation : trained.evaluations) {
      const auto& shares = evaluation.validation_accuracies;
      cell.curve.push_back({evaluation.iteration, evaluation.training_loss,
                            shares.empty() ? undefined_metric : *std::ranges::max_element(shares)});
    }
  }
  cell.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  cell.peak_rss_mb = peak_rss_mb();
  return cell;
}

}  // namespace graphpatcher
