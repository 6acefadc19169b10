// SPDX-License-Identifier: MIT
#include "graphpatcher/models/gat.hpp"
#include "experiments/run/train_and_run.hpp"

namespace graphpatcher {

template trained<gat_backbone<float>> train_backbone(const executor&, const experiment_data&, const gat_config&,
                                                     fit_options);

void run_on_gat(const unit_run& run) {
  train_and_run(run, gat_config{.seed = run.unit.seed});
}

}  // namespace graphpatcher
