// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "experiments/report/comparison.hpp"
#include "experiments/report/sheet.hpp"

/// The tables of an experiment beyond those of the paper.
namespace graphpatcher {

/// "cora, GCN".
std::string pair_name(const std::string& dataset, const std::string& backbone);

/// "3", or "2-5" where seeds chose differently; of the rule in how many seeds its verdict was yes.
std::string chosen_text(const cell_index::by_seed& cells);

/// What one setting gains, a row a dataset and backbone.
sheet gain_table(const cell_index& index, const std::string& setting);

/// Backbone, controls, rivals and GraphPatcher, with the gain of each over the backbone.
sheet control_table(const cell_index& index, const std::string& setting);

/// The same accuracies on other nodes and with other ties.
sheet reading_table(const cell_index& index, const std::string& setting);

/// Log-likelihood and calibration before and after, on the test nodes.
sheet confidence_table(const cell_index& index, const std::string& setting);

/// What the neighbours of the test nodes are; no rows for results of before that was kept.
sheet neighbors_table(const cell_index& index);

/// Gains with both intervals: over seeds and over test nodes. No rows without outcomes of nodes.
sheet doubt_table(const cell_index& index, const std::string& setting);

/// Other rules to use the patches: no rows if none was tried.
sheet combined_table(const cell_index& index, const std::string& setting);

/// Settings with changes beside their preset: sensitivity, estimators, teachers. No rows if there are none.
sheet settings_table(const cell_index& index);

/// Every option of every preset; several values where datasets or backbones differ.
sheet configuration_table(const cell_index& index);

}  // namespace graphpatcher
