// SPDX-License-Identifier: MIT
#include "experiments/run/run_generator.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/train_backbone.hpp"

namespace graphpatcher {

template void run_generator(const executor&, const experiment_data&, const trained<gat_backbone<float>>&,
                            const cell_scorer&, const cell_options&, cell_result&);

}  // namespace graphpatcher
