// SPDX-License-Identifier: MIT
#include "experiments/report/figures.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "experiments/sample_cells.hpp"
#include "report/html_checker.hpp"

using namespace graphpatcher;
using Catch::Contains;

TEST_CASE("figures show their numbers, drawn and written") {
  const auto cells = test::sample_cells();
  const cell_index index(cells);
  const auto c = compare(index, "cora", "gcn", "released");
  const auto gain = gain_figure(index, "gcn", "released");
  CHECK_THAT(gain.drawing, Contains("cora, over the backbone: +2.00 [-0.48, +4.48]") &&
                               Contains("cora, over the best control: +1.00 [-0.24, +2.24]"));
  CHECK_THAT(preset_figure(index, "gcn").drawing, Contains("cora, paper: -1.00"));
  const auto degree = degree_figure(c);
  CHECK_THAT(degree.drawing, Contains("degree 1, 10 nodes: 50.00 % before, 60.00 % after (+10.00)"));
  CHECK(plain_text(degree.numbers.rows[1].cells[6]) == "5.00 (+1.00) [+1.00, +1.00]");
  const auto patches = patches_figure(index, c);
  CHECK_THAT(patches.drawing, Contains("low third, patches 3: 75.00 ± 2.00 %") && Contains(">1/3<") &&
                                  Contains("low third, control: copy, patches 2: 73.00 %"));
  CHECK_THAT(training_figure(c, false).drawing, Contains("seed 2, iteration 200: 0.50"));
  CHECK_THAT(training_figure(c, true).drawing, Contains("seed 3, iteration 100: 78.00 %"));
  for (const auto& figure : {gain, degree, patches}) {
    CHECK(test::html_problem("<!DOCTYPE html>" + figure.drawing) == "");
    CHECK_FALSE(figure.numbers.rows.empty());
  }
}

TEST_CASE("figures have the datasets and presets that were run, no others") {
  auto cells = test::sample_cells();
  auto other = test::sample_patcher("released", 1, 1);
  other.key.backbone = "gat";
  cells.push_back(other);
  other.key.dataset = "pubmed";
  other.key.backbone = "gcn";
  cells.push_back(other);
  const cell_index index(cells);
  CHECK_FALSE(gain_figure(index, "gat", "paper"));
  CHECK_FALSE(preset_figure(index, "gat"));
  CHECK(gain_figure(index, "gat", "released").numbers.rows.size() == 1);
  CHECK(gain_figure(index, "gcn", "paper").numbers.rows.size() == 1);
  CHECK(preset_figure(index, "gcn").numbers.rows.size() == 2);
}

TEST_CASE("the interval of two seeds is said, but not drawn") {
  const auto two = gain_mark("cora", {1.5, -10, 13, 2});
  CHECK(two.hover == "cora: +1.50 [-10.00, +13.00]");
  CHECK(two.value == 1.5);
  CHECK(std::isnan(two.low));
  CHECK(std::isnan(two.high));
  const auto three = gain_mark("cora", {1.5, 1, 2, 3});
  CHECK(three.low == 1);
  CHECK(three.high == 2);
}

TEST_CASE("methods beside each other look different") {
  auto looks = method_looks;
  std::ranges::sort(looks, {}, [](const auto& look) { return std::pair(std::string(look[0]), std::string(look[1])); });
  CHECK(std::ranges::adjacent_find(looks, [](const auto& a, const auto& b) {
          return std::string(a[0]) == b[0] && std::string(a[1]) == b[1];
        }) == looks.end());
}

TEST_CASE("figures of nothing are empty") {
  std::vector<cell_result> cells{test::sample_cell("graphpatcher", "released", 0, 1)};
  cells[0].by_patches.resize(1);
  const cell_index index(cells);
  const auto c = compare(index, "cora", "gcn", "released");
  CHECK_FALSE(degree_figure(c));
  CHECK_FALSE(patches_figure(index, c));
  CHECK_FALSE(training_figure(c, true));
  CHECK_FALSE(preset_figure(index, "gcn"));
  CHECK_FALSE(gain_figure(index, "gat", "released"));
}
