// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include "experiments/run/cell_options.hpp"
#include "experiments/run/cell_scorer.hpp"
#include "graphpatcher/eval/peak_memory.hpp"
#include "graphpatcher/patcher/config_words.hpp"
#include "graphpatcher/patcher/fast_path.hpp"
#include "graphpatcher/patcher/fixed_patches.hpp"

namespace graphpatcher {

/// The methods whose patches a network makes: with the weights it begins with
/// ("untrained"), or trained. A translation unit of its own (*_patcher.cpp): a
/// trainer takes a compiler half a minute and most of its memory.
template <class Backbone>
void run_generator(const executor& exec, const experiment_data& data, const Backbone& model, const cell_scorer& scorer,
                   const cell_options& options, cell_result& cell);

/// Runs one method on a trained backbone and scores it. Labels of validation
/// nodes choose the weights and the number of patches; labels of other nodes
/// outside of training are used for the scores only.
template <backbone_for<float, std::int32_t> Backbone>
cell_result run_cell(const executor& exec, const experiment_data& data, const Backbone& model,
                     const cell_scorer& scorer, const cell_key& key, const cell_options& options = {}) {
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
  } else {
    run_generator(exec, data, model, scorer, options, cell);
  }
  cell.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  cell.peak_rss_mb = peak_rss_mb();
  return cell;
}

}  // namespace graphpatcher
