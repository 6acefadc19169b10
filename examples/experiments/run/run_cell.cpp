// SPDX-License-Identifier: MIT
#include "experiments/run/run_cell.hpp"

#include <chrono>
#include <utility>

#include "experiments/results/names.hpp"
#include "graphpatcher/eval/peak_memory.hpp"
#include "graphpatcher/methods/method.hpp"
#include "graphpatcher/methods/registry.hpp"
#include "graphpatcher/patcher/config_words.hpp"

namespace graphpatcher {

cell_result run_cell(const executor& exec, const experiment_data& data, cell_backbone& backbone,
                     const cell_scorer& scorer, const cell_key& key, const cell_options& options) {
  const auto started = std::chrono::steady_clock::now();
  method_run<float, std::int32_t> run{.exec = exec,
                                      .data = &data,
                                      .seed = key.seed,
                                      .untrained = backbone.untrained,
                                      .fit = backbone.fit,
                                      .backbone = backbone.trained};
  if (has_settings(key.method)) {
    run.patcher = cell_config(key, options);
    run.settings = settings_of(run.patcher);
  }
  double trained_before = 0;
  run.kept_patcher = [&](const patcher_config& config) {
    bool known = true;
    const auto& patcher = backbone.patchers.get(config, [&] {
      known = false;
      return backbone.trained.train_patcher(exec, data, config);
    });
    trained_before += known ? patcher.seconds : 0;
    return patcher;
  };
  methods::run(is_best(key) ? rule_name() : key.method, run);
  cell_result cell;
  cell.key = key;
  scorer.score(run.predict(scorer.nodes(), options.patches), options.most, cell);
  cell.decision = std::move(run.decision);
  cell.settings = std::move(run.settings);
  cell.path = word_of(run.path);
  cell.iterations = run.iterations;
  cell.curve = std::move(run.curve);
  cell.seconds = trained_before + std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  cell.peak_rss_mb = peak_rss_mb();
  return cell;
}

}  // namespace graphpatcher
