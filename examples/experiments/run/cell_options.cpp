// SPDX-License-Identifier: MIT
#include "experiments/run/cell_options.hpp"

#include <algorithm>

#include "graphpatcher/eval/evaluate.hpp"

namespace graphpatcher {

patcher_config cell_config(const cell_key& key, const cell_options& options) {
  auto config = parse_setting(key.setting, key.dataset, key.backbone, options.best);
  config.seed = key.seed;
  config.quiet = true;
  config.patches = options.most;
  return config;
}

run_settings settings_of(const patcher_config& config) {
  run_record described;
  describe(config, described);
  described.settings.set("loss", described.loss);
  described.settings.set("degree", described.degree);
  return described.settings;
}

bool is_current(const cell_result& cell, const cell_options& options) {
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

}  // namespace graphpatcher
