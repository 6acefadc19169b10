// SPDX-License-Identifier: MIT
#pragma once

#include "experiments/results/cell.hpp"
#include "report/run_record_json.hpp"

/// A cell as one JSON object, and back. The keys are public: programs read them.
///
///   dataset backbone method setting seed chosen
///   by_patches [{n validation [accuracy, log-likelihood] test S unlabelled S}], combined [{rule test S unlabelled S}]
///     S = {low G, high G, overall G, fractional [low, high]}, G = [accuracy, log-likelihood, calibration]
///   by_degree [{degrees nodes before G after G}]
///   curve {iteration [..] loss [..] validation [..]} iterations seconds backbone_seconds peak_rss_mb path version
///   settings {option: value}
///
/// Numbers have 4 decimals and `unlabelled` is left out where it is the same as `test` (splits that use every node),
/// which keeps a file of thousands of cells small; what is not finite is null.
namespace graphpatcher {

record_json cell_to_json(const cell_result& cell);

/// Throws nlohmann::json::exception where a key is missing or of another type,
/// argument_error where the numbers contradict each other.
cell_result cell_from_json(const record_json& object);

}  // namespace graphpatcher
