// SPDX-License-Identifier: MIT
#include "graphpatcher/models/sage.hpp"
#include "experiments/run/train_and_run.hpp"

namespace graphpatcher {

template trained<sage_backbone<float>> train_backbone(const executor&, const experiment_data&, const sage_config&,
                                                      fit_options);

void run_on_sage(const unit_run& run) {
  train_and_run(run, sage_config{.seed = run.unit.seed});
}

}  // namespace graphpatcher
