// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "experiments/results/cell.hpp"

namespace graphpatcher::test {

/// A cell with 0..3 patches whose numbers are easy to follow by hand. The
/// backbone has 68 + 2 seed in the low third, 90 in the high one and 80 on all
/// nodes; a patch adds `step` to the low third, takes step / 2 from the high
/// one and adds step / 4 to all. Unlabelled nodes are 1 worse throughout.
inline cell_result sample_cell(std::string method, std::string setting, std::uint64_t seed, double step) {
  cell_result cell;
  cell.key = {"cora", "gcn", std::move(method), std::move(setting), seed};
  const auto base = 68 + 2 * static_cast<double>(seed);
  for (std::size_t n = 0; n <= 3; ++n) {
    const double gain = step * static_cast<double>(n);
    patched_score row;
    row.patches = n;
    row.validation = 79 + gain;
    row.validation_log_likelihood = -0.75;
    row.test = {{base + gain, -1.0 + gain / 10, 12 - gain},
                {90 - gain / 2, -0.5, 6},
                {80 + gain / 4, -0.75, 9},
                base + gain + 0.25,
                90 - gain / 2 - 0.25};
    row.unlabelled = row.test;
    row.unlabelled.low.accuracy -= 1;
    row.unlabelled.high.accuracy -= 1;
    row.unlabelled.overall.accuracy -= 1;
    cell.by_patches.push_back(row);
  }
  return cell;
}

/// GraphPatcher: seed s gains `step` a patch and chooses s patches.
inline cell_result sample_patcher(std::string setting, std::uint64_t seed, double step) {
  auto cell = sample_cell("graphpatcher", std::move(setting), seed, step);
  cell.chosen = static_cast<std::size_t>(seed);
  cell.combined = {{"mean of all", cell.by_patches[3].test, cell.by_patches[3].unlabelled}};
  cell.by_degree = {{"1", 10, {50, -1.5, 20}, {60, -1.25, 15}}, {"11+", 5, {90, -0.25, 4}, {88, -0.5, 5}}};
  cell.curve = {{100, 1.5, 78}, {200, 0.5, 80}};
  cell.iterations = 200;
  cell.seconds = 1.5;
  cell.path = "fast";
  cell.settings.set("hidden", 1024);
  cell.settings.set("learning_rate", 1e-3f);
  cell.settings.set("strengths", "0.9,0.6,0.3");
  cell.settings.set("samples", 10);
  return cell;
}

/// Seeds 1, 2, 3 of the backbone, three controls and two presets. With patches
/// as chosen (1, 2, 3) "released" gains 1, 2, 3 in the low third, "copy" 0.5, 1, 1.5, "zero" loses 1, 2, 3.
inline std::vector<cell_result> sample_cells() {
  std::vector<cell_result> cells;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    auto alone = sample_cell("none", "", seed, 0);
    alone.by_patches.resize(1);
    cells.push_back(alone);
    cells.push_back(sample_cell("zero", "", seed, -1));
    cells.push_back(sample_cell("copy", "", seed, 0.5));
    cells.back().chosen = 3;  // its own choice, which does not count
    cells.push_back(sample_cell("mean", "", seed, 0.25));
    cells.push_back(sample_patcher("released", seed, 1));
    cells.push_back(sample_patcher("paper", seed, -0.5));
  }
  return cells;
}

/// The settings of a sensitivity study, two seeds.
inline std::vector<cell_result> sample_changes() {
  std::vector<cell_result> cells;
  for (const std::uint64_t seed : {1u, 2u}) {
    cells.push_back(sample_patcher("paper samples=2", seed, 0.5));
    cells.push_back(sample_patcher("paper samples=20", seed, 0.75));
    cells.push_back(sample_patcher("paper estimator=exact", seed, 1));
    cells.push_back(sample_patcher("released strength=0.2", seed, 0.5));
    cells.push_back(sample_patcher("released learning-rate=0.01 hidden=64", seed, 0.5));
  }
  return cells;
}

}  // namespace graphpatcher::test
