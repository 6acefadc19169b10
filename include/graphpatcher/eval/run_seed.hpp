// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/eval/peak_memory.hpp"
#include "graphpatcher/models/train_backbone.hpp"

namespace graphpatcher {

/// Writes into a run how its backbone came to be.
inline void describe_training(const training_history& history, run_result& run) {
  run.seconds.backbone = history.seconds;
  run.peak_rss_mb = peak_rss_mb();
  for (std::size_t epoch = 0; epoch < history.epochs(); ++epoch) {
    run.backbone_curve.push_back({epoch + 1, history.loss[epoch], 100.0 * history.validation_accuracies[epoch]});
  }
}

/// What a patcher does for a backbone that knows its history (trained, or
/// restored from a checkpoint), with how both came to be.
template <class T, graph_index I, backbone_for<T, I> Backbone>
run_result score_run(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                     const trained_patcher<T>& patcher, patch_rule rule = patch_rule::validated) {
  auto run = evaluate_run(exec, data, model, patcher, {.patches = patcher.config.patches, .rule = rule});
  describe_training(model.history, run);
  return run;
}

/// The whole pipeline for one seed: trains a backbone and a patcher, chooses
/// the number of patches on validation nodes and scores the test nodes.
template <class BackboneConfig, class T, graph_index I>
run_result run_seed(const executor& exec, const dataset<T, I>& data, BackboneConfig backbone_config,
                    patcher_config patching, std::uint64_t seed, fit_options fitting = {}) {
  backbone_config.seed = seed;
  patching.seed = seed;
  fitting.quiet = patching.quiet;
  const auto model = train_backbone(exec, data, backbone_config, fitting);
  return score_run(exec, data, model, train_patcher(exec, data, model, patching));
}

}  // namespace graphpatcher
