// SPDX-License-Identifier: MIT
#include "experiments/report/comparison.hpp"

#include <catch2/catch.hpp>

#include "experiments/sample_cells.hpp"

using namespace graphpatcher;
using Catch::Contains;
using test::sample_cells;

TEST_CASE("gains over backbone and best control, by hand") {
  const auto cells = sample_cells();
  const cell_index index(cells);
  const auto c = compare(index, "cora", "gcn", "released");
  // Gains 1, 2, 3; over "copy" with the same number of patches 0.5, 1, 1.5.
  CHECK(c.gain({}).mean == Approx(2));
  CHECK(c.gain({}).low == Approx(-0.484138).epsilon(1e-5));
  CHECK(c.best_control() == "copy");
  CHECK(c.gain_over_control({}).mean == Approx(1));
  CHECK(c.gain_over_control({}).high == Approx(1 + 4.302653 * 0.5 / std::sqrt(3.0)).epsilon(1e-5));
  CHECK(c.gain({node_group::high}).mean == Approx(-1));
  CHECK(c.gain({node_group::overall}).mean == Approx(0.5));
  CHECK(c.gain({node_group::low, score_metric::calibration}).mean == Approx(-2));
  CHECK(c.gain({node_group::low, score_metric::log_likelihood}).mean == Approx(0.2));
  CHECK(summarise(values_of(c.patched, {})).mean == Approx(74));
  CHECK(summarise(values_of(c.patched, {node_group::low, score_metric::fractional})).mean == Approx(74.25));
  CHECK(summarise(values_of(c.patched, {node_group::low, score_metric::accuracy, node_set::unlabelled})).mean ==
        Approx(73));
  CHECK(c.controls.size() == 3);  // "untrained" was not run
}

TEST_CASE("seeds and methods that are missing") {
  auto cells = sample_cells();
  std::erase_if(cells, [](const cell_result& cell) {
    return cell.key.method == "none" || (cell.key.method == "copy" && cell.key.seed == 3) ||
           cell.key.method == "mean" || cell.key.setting == "paper";
  });
  const cell_index index(cells);
  const auto c = compare(index, "cora", "gcn", "released");
  CHECK(c.base.size() == 3);  // 0 patches of GraphPatcher
  CHECK(c.gain({}).mean == Approx(2));
  CHECK(c.gain_over_control({}).count == 2);
  CHECK(c.gain_over_control({}).mean == Approx(0.75));
  const auto nothing = compare(index, "cora", "gat", "released");
  CHECK(nothing.cells.empty());
  CHECK(nothing.gain({}).count == 0);
  CHECK(nothing.best_control().empty());
  CHECK(compare_all(index, "released").size() == 1);
  CHECK(compare_all(index, "paper").empty());
}

TEST_CASE("a control without results for that many patches is left out") {
  auto cells = sample_cells();
  for (auto& cell : cells) {
    if (cell.key.method == "copy") {
      cell.chosen = 0;
      cell.by_patches.resize(3);  // GraphPatcher chose 3 for seed 3
    }
  }
  const cell_index index(cells);
  CHECK(compare(index, "cora", "gcn", "released").gain_over_control({}).count == 2);
}

TEST_CASE("numbers that are not defined are left out") {
  auto cells = sample_cells();
  for (auto& cell : cells) {
    if (cell.key.method == "graphpatcher" && cell.key.seed == 1) {
      cell.by_patches[1].test.low.accuracy = undefined_metric;
    }
  }
  const cell_index index(cells);
  CHECK(compare(index, "cora", "gcn", "released").gain({}).count == 2);
}

TEST_CASE("an index orders names as the paper does") {
  auto cells = sample_cells();
  cells.push_back(test::sample_patcher("released hidden=64", 1, 1));
  for (const char* name : {"zebra", "actor", "citeseer", "a<b"}) {
    cells.push_back(test::sample_patcher("released", 1, 1));
    cells.back().key.dataset = name;
  }
  cells.back().key.backbone = "sage";
  const cell_index index(cells);
  CHECK(index.datasets() == std::vector<std::string>{"cora", "citeseer", "actor", "a<b", "zebra"});
  CHECK(index.backbones() == std::vector<std::string>{"gcn", "sage"});
  CHECK(index.presets() == std::vector<std::string>{"released", "paper"});
  CHECK(index.settings().size() == 3);
}

TEST_CASE("an index of nothing, or of a broken cell, is an error") {
  CHECK_THROWS_AS(cell_index({}), argument_error);
  CHECK_THROWS_WITH(cell_index({}), Contains("expected at least one finished cell"));
  auto cells = sample_cells();
  cells[0].chosen = 9;
  CHECK_THROWS_WITH(cell_index(cells), Contains("cora, gcn, none, seed 1 chose 9 patches"));
}

TEST_CASE("settings taken apart") {
  CHECK(split_setting("released").changes.empty());
  const auto parts = split_setting("paper samples=5  estimator=exact");
  CHECK(parts.preset == "paper");
  REQUIRE(parts.changes.size() == 2);
  CHECK(parts.changes[0] == std::array<std::string, 2>{"samples", "5"});
  CHECK(parts.changes[1] == std::array<std::string, 2>{"estimator", "exact"});
  CHECK(split_setting("").preset.empty());
  CHECK(split_setting("my own teacher=a b").changes[0][1] == "a b");
}

TEST_CASE("the preset that ran on the most datasets stands first", "[experiments]") {
  std::vector<graphpatcher::cell_result> cells;
  const auto add = [&](const char* dataset, const char* setting) {
    graphpatcher::cell_result cell;
    cell.key = {dataset, "gcn", "graphpatcher", setting, 1};
    cell.by_patches.resize(1);
    cells.push_back(cell);
  };
  add("cora", "released");
  add("cora", "tuned");
  add("pubmed", "tuned");
  CHECK(graphpatcher::cell_index(cells).presets() == std::vector<std::string>{"tuned", "released"});
  add("pubmed", "released");
  CHECK(graphpatcher::cell_index(cells).presets() == std::vector<std::string>{"released", "tuned"});
}
