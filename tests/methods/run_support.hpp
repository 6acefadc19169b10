// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "graphpatcher/methods/method.hpp"
#include "graphpatcher/methods/registry.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

/// Runs of methods on a small dataset.
namespace toy {

inline const gp::gcn_config small_gcn{.hidden = 8, .seed = 1};

/// A run on a backbone that was trained a little.
inline gp::method_run<float, node_id> a_run(const gp::dataset<float, node_id>& data, int threads = 2) {
  const gp::cpu exec{threads};
  const gp::fit_options fit{.learning_rate = 0.02, .max_epochs = 12, .patience = 12};
  const gp::gcn_backbone<float> untrained(small_gcn, data.features.cols(), data.classes);
  const gp::gcn_backbone<float> trained = gp::train_backbone(exec, data, small_gcn, fit);
  return {.exec = exec,
          .data = &data,
          .seed = 1,
          .untrained = untrained,
          .fit = fit,
          .patcher = quick_config(),
          .backbone = trained};
}

/// The same with a method run, given its name.
inline gp::method_run<float, node_id> run_of(std::string_view name, const gp::dataset<float, node_id>& data,
                                             int threads = 2) {
  auto run = a_run(data, threads);
  gp::methods::run(name, run);
  return run;
}

/// Its answers for every node.
inline gp::matrix<float> answers_of(const gp::method_run<float, node_id>& run) {
  return run.predict(all_nodes(run.data->nodes()), run.patcher.patches).back();
}

/// The word that a method left of its choice.
inline std::string setting_of(const gp::method_run<float, node_id>& run, std::string_view name) {
  for (const auto& [known, value] : run.settings.entries()) {
    if (known == name) {
      return gp::setting_text(value);
    }
  }
  return {};
}

}  // namespace toy
