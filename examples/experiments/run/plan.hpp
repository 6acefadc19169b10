// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/results/cell.hpp"
#include "experiments/results/names.hpp"

/// Which cells an experiment has.
namespace graphpatcher {

/// The methods of a plan that names none: the backbone alone, GraphPatcher and all controls.
std::vector<std::string> plan_methods();

/// A grid: every dataset with every backbone, method and seed.
struct experiment_grid {
  std::vector<std::string> datasets{experiment_datasets.begin(), experiment_datasets.end()};
  std::vector<std::string> backbones{"gcn"};
  std::vector<std::string> methods = plan_methods();
  std::vector<std::string> settings{"best"};  ///< of GraphPatcher
  std::uint64_t first_seed = 1;
  std::size_t seeds = 10;
};

/// What shares a backbone: trained once, used by all cells.
struct experiment_unit {
  std::string dataset;
  std::string backbone;
  std::uint64_t seed = 0;
  std::vector<cell_key> cells;
};

/// The units of several grids, each cell once. Seeds of a dataset stand together.
std::vector<experiment_unit> plan_experiment(const std::vector<experiment_grid>& grids);

}  // namespace graphpatcher
