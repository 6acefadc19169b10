// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "experiments/results/cell.hpp"

namespace graphpatcher {

/// What an experiment says, for programs: JSON, an object for each dataset, backbone, method and setting. The keys are
/// public:
///
///   dataset backbone method setting seeds metric
///   low, high, all: {before, after, gain, interval, interval_over_nodes}
///   over_best_control, over_control_best_on_test: {control, gain, interval}, or null
///   decision: what was chosen in how many seeds: {"weighted": 9, "backbone": 1} by the rule, {"3": 8, "5": 2} patches,
///             or null
///
/// `before` is the backbone alone, `after` what the method answers, in percent; gains are points, paired by seed, and
/// `interval` is their 95 % interval over seeds; `interval_over_nodes` that over which nodes are tested, of accuracy
/// (node_doubt.hpp). Gains over controls are those of the low third. The best control is the rule with controls only
/// where it was run, else, as beside it, the one that does best on the test nodes. `metric` is accuracy or ROC-AUC.
/// What is not known is null.
std::string experiment_summary(std::span<const cell_result> cells);

}  // namespace graphpatcher
