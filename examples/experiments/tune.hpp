// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "graphpatcher/core/atomic_file.hpp"
#include "experiments/run_experiment.hpp"
#include "options.hpp"

/// Finds settings by validation accuracy alone, one option after the other: the paper's search space (hidden units,
/// learning rate, strength; the number of patches is chosen in every run) and the target and loss of training. The
/// presets have 256 hidden units, a learning rate of 0.0005 and a strength of 0.3: the rest of the space is listed.

/// Mean validation accuracy of a setting over the seeds of the search, each with the number of patches it chose. Other
/// seeds that happen to be in the file have other backbones, so they don't count.
inline double validation_of(const gp::results_file& results, const gp::experiment_grid& grid,
                            const std::string& setting) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& cell : results.cells()) {
    const auto& key = cell.key;
    if (key.dataset == grid.datasets[0] && key.backbone == grid.backbones[0] && key.setting == setting &&
        key.seed >= grid.first_seed && key.seed < grid.first_seed + grid.seeds) {
      sum += cell.after().validation;
      ++count;
    }
  }
  gp::expects(count == grid.seeds, "tune: expected ", grid.seeds, " seeds of '", setting, "' on ", grid.datasets[0],
              ", got ", count, "; see what failed above");
  return sum / static_cast<double>(count);
}

/// Searches and returns the best setting for the dataset and backbone of `grid`, beginning with its settings.
/// `run(grid)` makes sure that a grid's cells are in `results`.
template <class Run>
std::string tune(const gp::results_file& results, gp::experiment_grid grid, Run&& run) {
  const std::vector<std::vector<std::string>> search{
      grid.settings,
      {"", " loss=paper"},
      {"", " learning-rate=0.001", " learning-rate=0.0001", " learning-rate=0.00005"},
      {"", " hidden=64", " hidden=128", " hidden=1024"},
      {"", " strength=0.1", " strength=0.2", " strength=0.4"},
  };
  // The file keeps four decimals: what differs by less is equal, or a search that goes on would choose otherwise.
  constexpr double equal = 2e-4;
  std::string best;
  for (const auto& choices : search) {
    grid.settings.clear();
    for (const auto& choice : choices) {
      grid.settings.push_back(best + choice);
    }
    run(grid);
    double highest = -1;
    for (const auto& setting : grid.settings) {
      if (const double now = validation_of(results, grid, setting); now > highest + equal) {  // the first of equals
        highest = now;
        best = setting;
      }
    }
  }
  return best;
}

inline gp::best_settings read_best(const std::filesystem::path& file) {
  gp::best_settings best;
  if (!std::filesystem::exists(file)) {
    return best;
  }
  std::ifstream in(file);
  try {
    const auto json = nlohmann::json::parse(in);
    for (const auto& [name, setting] : json.items()) {
      best[name] = setting.get<std::string>();
    }
  } catch (const nlohmann::json::exception& problem) {
    throw gp::file_error(
        file.string(),
        std::string("expected settings by dataset and backbone, as --tune writes them: ") + problem.what());
  }
  return best;
}

inline void write_best(const std::filesystem::path& file, const gp::best_settings& best) {
  gp::write_file_atomically(file, nlohmann::ordered_json(best).dump(2) + "\n");
}
