// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/results/results_file.hpp"
#include "experiments/run/cell_options.hpp"
#include "experiments/run/plan.hpp"
#include "experiments/run/scores.hpp"
#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/models/train_backbone.hpp"

namespace graphpatcher {

struct experiment_options {
  std::filesystem::path backbones;  ///< folder in which trained backbones are kept; empty: nowhere
  int jobs = hardware_threads();    ///< units at once, each on one thread; changes no result
  cell_options cell{};
  fit_options fit{};
  progress_options progress{};
};

/// One unit at work: what it runs on, and where the results go.
struct unit_run {
  const experiment_data& data;
  const experiment_unit& unit;
  const std::vector<cell_key>& missing;  ///< of the unit's cells those to run
  results_file& results;
  const experiment_options& options;
  std::function<void(const std::string&, std::size_t)> show;  ///< what is done now, and how many cells are finished
};

/// Trains the backbone of a unit, or reads the one that was kept, and runs the
/// cells on it. A file each: training and patching of a backbone is a minute of
/// compiling.
void run_on_gcn(const unit_run& run);  ///< means, on Pubmed the symmetric normalisation
void run_on_sage(const unit_run& run);
void run_on_gat(const unit_run& run);

}  // namespace graphpatcher
