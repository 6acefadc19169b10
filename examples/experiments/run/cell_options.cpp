// SPDX-License-Identifier: MIT
#include "experiments/run/cell_options.hpp"

#include "experiments/results/names.hpp"
#include "graphpatcher/eval/evaluate.hpp"

namespace graphpatcher {

bool has_settings(std::string_view method) {
  return trains_patches(find_method(method));
}

bool is_best(const cell_key& key) {
  return key.method == patcher_name() && key.setting.substr(0, key.setting.find(' ')) == "best";
}

patcher_config cell_config(const cell_key& key, const cell_options& options) {
  auto config = parse_setting(key.setting, public_dataset(key.dataset), key.backbone, options.tuned);
  config.seed = key.seed;
  config.quiet = true;
  config.patches = options.most;
  return config;
}

run_settings settings_of(const patcher_config& config) {
  run_record described;
  describe(config, described);
  return described.settings;
}

bool is_current(const cell_result& cell, const cell_options& options) {
  const bool by_rule = is_best(cell.key) || find_method(cell.key.method).role == method_role::rule;
  if (by_rule && !cell.decision) {
    return false;
  }
  return !has_settings(cell.key.method) ||
         !first_difference(cell.settings, settings_of(cell_config(cell.key, options)));
}

}  // namespace graphpatcher
