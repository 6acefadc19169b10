// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/cell.hpp"

/// Which cells an experiment has.
namespace graphpatcher {

/// The datasets of this project's tables, as load_dataset() calls them.
inline constexpr std::array<std::string_view, 7> experiment_datasets{
    "cora", "citeseer", "pubmed", "amazon-photo", "coauthor-cs", "chameleon", "actor"};

/// A grid: every dataset with every backbone, method and seed.
struct experiment_grid {
  std::vector<std::string> datasets{experiment_datasets.begin(), experiment_datasets.end()};
  std::vector<std::string> backbones{"gcn"};
  std::vector<std::string> methods{"none", "zero", "mean", "copy", "untrained", "graphpatcher"};
  std::vector<std::string> settings{"released"};  ///< of GraphPatcher
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

/// Whether a method is run once for each of the grid's settings.
constexpr bool has_settings(std::string_view method) {
  return method == "graphpatcher";
}

/// The units of several grids, each cell once. Seeds of a dataset stand together.
std::vector<experiment_unit> plan_experiment(const std::vector<experiment_grid>& grids);

}  // namespace graphpatcher
