// SPDX-License-Identifier: MIT
#pragma once

#include "experiments/results/cell.hpp"
#include "report/run_record_json.hpp"

/// A cell as one JSON object, and back. The keys are public: programs read them.
///
///   dataset backbone method setting seed chosen
///   by_patches [P], answer P, combined [{rule test S unlabelled S}]
///     P = {n validation [accuracy, log-likelihood] test S unlabelled S}
///     S = {low G, high G, overall G, fractional [low, high]}, G = [accuracy, log-likelihood, calibration, ROC-AUC]
///   decision {rule verdict evidence needed agreement validation_nodes weights [{answer weight}] warnings}
///   by_degree [{degrees nodes before G after G}]
///   neighbors {low N, high N, overall N}, N = [homophily, diversity]
///   outcomes {tested before after}, which test nodes are right, as bits (bits_text.hpp, node_outcomes)
///   curve {iteration [..] loss [..] validation [..]} iterations seconds backbone_seconds peak_rss_mb path version
///   settings {option: value}
///
/// `answer` and `decision` are null where a method chooses a number of patches, ROC-AUC is there with two classes only.
/// Results of before neighbors and outcomes were kept are read as well. Numbers have 4 decimals and `unlabelled` is
/// left out where it is the same as `test` (splits that use every node), which keeps a file of thousands of cells
/// small; what is not finite is null.
namespace graphpatcher {

record_json cell_to_json(const cell_result& cell);

/// Throws nlohmann::json::exception where a key is missing or of another type,
/// argument_error where the numbers contradict each other.
cell_result cell_from_json(const record_json& object);

}  // namespace graphpatcher
