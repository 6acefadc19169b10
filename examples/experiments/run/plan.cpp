// SPDX-License-Identifier: MIT
#include "experiments/run/plan.hpp"

#include <algorithm>
#include <limits>

#include "experiments/run/cell_options.hpp"
#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

std::vector<std::string> plan_methods() {
  std::vector<std::string> names;
  for (const auto& info : known_methods()) {
    if (info.role != method_role::rival && info.role != method_role::rule) {
      names.emplace_back(info.name);
    }
  }
  return names;
}

std::vector<experiment_unit> plan_experiment(const std::vector<experiment_grid>& grids) {
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
    expects(grid.first_seed <= std::numeric_limits<std::uint64_t>::max() - (grid.seeds - 1),
            "experiment: expected a first seed of ", grid.seeds, " that are all below 2^64, got ", grid.first_seed);
    for (const auto& dataset : grid.datasets) {
      for (const auto& backbone : grid.backbones) {
        for (std::size_t n = 0; n < grid.seeds; ++n) {
          const std::uint64_t seed = grid.first_seed + n;
          auto& unit = unit_of(dataset, backbone, seed);
          for (const auto& method : grid.methods) {
            find_method(method);  // or an error that names them all
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
