// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "experiments/results/results_file.hpp"
#include "experiments/run/plan.hpp"
#include "experiments/run/settings.hpp"
#include "options.hpp"

/// Finds settings by validation accuracy alone, one option after the other: the paper's search space (hidden units,
/// learning rate, strength; the number of patches is chosen in every run) and the target and loss of training. The
/// presets have 256 hidden units, a learning rate of 0.0005 and a strength of 0.3: the rest of the space is listed.

/// Searches and returns the best setting for the dataset and backbone of `grid`, beginning with its settings.
/// `run(grid)` makes sure that a grid's cells are in `results`.
std::string tune(const gp::results_file& results, gp::experiment_grid grid,
                 const std::function<void(const gp::experiment_grid&)>& run);

/// What a search found, by "dataset-backbone"; nothing if there is no file. Anything else in it is a file_error.
gp::tuned_settings read_tuned(const std::filesystem::path& file);

void write_tuned(const std::filesystem::path& file, const gp::tuned_settings& tuned);
