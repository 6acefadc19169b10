// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/cell.hpp"
#include "experiments/settings.hpp"

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
inline std::vector<experiment_unit> plan_experiment(const std::vector<experiment_grid>& grids) {
  std::vector<experiment_unit> units;
  const auto unit_of = [&](const std::string& dataset, const std::string& backbone,
                           std::uint64_t seed) -> experiment_unit& {
    const auto found = std::ranges::find_if(units, [&](const experiment_unit& unit) {
      return unit.dataset == dataset && unit.backbone == backbone && unit.seed == seed;
    });
    return found != units.end() ? *found : units.emplace_back(experiment_unit{dataset, backbone, seed, {}});
  };
  for (const auto& grid : grids) {
    expects(grid.seeds >= 1, "experiment: expected at least 1 seed, got 0");
    for (const auto& dataset : grid.datasets) {
      for (const auto& backbone : grid.backbones) {
        for (std::uint64_t seed = grid.first_seed; seed < grid.first_seed + grid.seeds; ++seed) {
          auto& unit = unit_of(dataset, backbone, seed);
          for (const auto& method : grid.methods) {
            expects(method == "none" || is_control(method) || has_settings(method), "experiment: no method is called '",
                    method, "'; there are none, zero, mean, copy, untrained and graphpatcher");
            const std::vector<std::string> nothing{""};
            for (const auto& setting : has_settings(method) ? grid.settings : nothing) {
              cell_key key{dataset, backbone, method, setting, seed};
              if (std::ranges::find(unit.cells, key) == unit.cells.end()) {
                unit.cells.push_back(std::move(key));
              }
            }
          }
        }
      }
    }
  }
  return units;
}

}  // namespace graphpatcher
