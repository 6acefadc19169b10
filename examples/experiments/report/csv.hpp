// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "experiments/results/cell.hpp"

namespace graphpatcher {

/// Every mean of an experiment in long form: a row a dataset, backbone, method,
/// setting, number of patches (or rule), set of nodes, degree group and metric.
/// gain: paired difference to the backbone with its 95 % interval; control_gain: to the best control.
std::string experiment_csv(std::span<const cell_result> cells);

}  // namespace graphpatcher
