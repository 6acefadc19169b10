// SPDX-License-Identifier: MIT
#include "graphpatcher/models/gcn.hpp"
#include "experiments/run/train_and_run.hpp"

namespace graphpatcher {

template trained<gcn_backbone<float>> train_backbone(const executor&, const experiment_data&, const gcn_config&,
                                                     fit_options);

void run_on_gcn(const unit_run& run) {
  const auto norm = run.data.name == "pubmed" ? normalisation::symmetric : normalisation::mean;
  train_and_run(run, gcn_config{.norm = norm, .seed = run.unit.seed});
}

}  // namespace graphpatcher
