// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/results/results_file.hpp"
#include "experiments/run/plan.hpp"
#include "experiments/run/unit_run.hpp"

namespace graphpatcher {

/// How an experiment ended.
struct experiment_outcome {
  std::size_t run = 0;                ///< cells that were run now
  std::size_t known = 0;              ///< cells that were in the file before
  std::vector<std::string> failures;  ///< one line for each unit that broke
};

/// Gives the data of a dataset and seed.
using load_function = std::function<experiment_data(const std::string& dataset, std::uint64_t seed)>;

/// Runs the cells that are not in the file yet, or there with other options than
/// their setting stands for now, several units at once.
/// `load(dataset, seed)` gives the data of a unit; data without a public split
/// may have another split for each seed. A unit that breaks is reported, the
/// others go on. Ctrl-C inside an interrupt_scope ends it with an
/// interrupted_error; finished cells are in the file, whoever calls again with
/// the same file goes on from there.
experiment_outcome run_experiment(const std::vector<experiment_unit>& units, results_file& results,
                                  const load_function& load, const experiment_options& options = {});

}  // namespace graphpatcher
