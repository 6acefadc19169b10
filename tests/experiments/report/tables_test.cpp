// SPDX-License-Identifier: MIT
#include "experiments/report/tables.hpp"

#include <catch2/catch.hpp>
#include <tuple>

#include "experiments/sample_cells.hpp"

using namespace graphpatcher;

namespace {

std::string line(const sheet& s, const std::string& head) {
  for (const auto& row : s.rows) {
    if (row.head == head && !row.cells.empty()) {
      std::string out;
      for (const auto& cell : row.cells) {
        out += (out.empty() ? "" : " | ") + plain_text(cell);
      }
      return out;
    }
  }
  return "no such row";
}

}  // namespace

TEST_CASE("tables of an experiment, by hand") {
  auto cells = test::sample_cells();
  for (const auto& cell : test::sample_changes()) {
    cells.push_back(cell);
  }
  const cell_index index(cells);
  CHECK(line(gain_table(index, "released"), "cora, GCN") ==
        "3 | 1-3 | 74.00 ± 3.00 | +2.00 [-0.48, +4.48] | +1.00 [-0.24, +2.24], copy | -1.00 [-2.24, +0.24] | "
        "+0.50 [-0.12, +1.12]");
  const auto controls = control_table(index, "released");
  CHECK(line(controls, "GCN alone") == "72.00 ± 2.00 | 90.00 ± 0.00 | 80.00 ± 0.00");
  CHECK(line(controls, "zero").starts_with("70.00 ± 1.00 (-2.00) [-4.48, +0.48] | 91.00 ± 0.50 (+1.00)"));
  CHECK(line(controls, "copy (best control)").starts_with("73.00 ± 2.50 (+1.00)"));
  CHECK(line(controls, "untrained") == "no such row");  // nobody ran it
  const auto readings = line(reading_table(index, "released"), "cora, GCN");
  CHECK(readings.starts_with("74.00 ± 3.00 (+2.00) [-0.48, +4.48] | 74.25 ± 3.00 (+2.00) [-0.48, +4.48] | 73.00"));
  const auto confidence = line(confidence_table(index, "released"), "cora, GCN");
  CHECK(confidence.starts_with("-1.000 ± 0.000 | -0.800 ± 0.100 (+0.20)"));
  CHECK(confidence.find("12.00 ± 0.00 | 10.00 ± 1.00 (-2.00)") != std::string::npos);
  const auto combined = combined_table(index, "released");
  CHECK(line(combined, "chosen number").starts_with("74.00 ± 3.00 (+2.00)"));
  CHECK(line(combined, "mean of all").starts_with("75.00 ± 2.00 (+3.00)"));
  // Seeds 1 and 2 of "paper": steps 0.5 instead of -0.5, so 1 and 2 points more.
  CHECK(line(settings_table(index), "paper samples=2").find("+1.50 [") != std::string::npos);
  const auto configuration = configuration_table(index);
  CHECK(configuration.columns == std::vector<std::string>{"option", "released", "paper"});
  CHECK(line(configuration, "learning_rate") == "0.001 | 0.001");
}

TEST_CASE("the rule with controls only is the best control; beside it stands the one that does best on test") {
  std::vector<cell_result> cells;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    auto alone = test::sample_cell("none", "", seed, 0);
    alone.by_patches.resize(1);
    cells.push_back(alone);
    const double base = alone.by_patches[0].test.low.accuracy;
    for (const auto& [method, setting, gain] : {std::tuple{"graphpatcher", "best", 5.0},
                                                {"weighted-controls", "", 2.0},
                                                {"spread", "", 3.0},
                                                {"weighted-fast", "small", 4.0},
                                                {"tuneup", "", 1.0}}) {
      auto cell = test::sample_cell(method, setting, seed, 0);
      cell.by_patches.resize(1);
      cell.answer = cell.by_patches[0];
      cell.answer->test.low.accuracy = base + gain;
      if (std::string(method) == "graphpatcher") {
        cell.decision.emplace().accepted = seed != 2;
        cell.outcomes.tested.assign(6, true);
        cell.outcomes.before = {false, false, true, true, true, true};
        cell.outcomes.after.assign(6, true);
        cell.neighbors.low = {0.5 + 0.1 * static_cast<double>(seed), 0.25};
      }
      cells.push_back(cell);
    }
    auto copies = test::sample_cell("copy", "", seed, 0.5);
    copies.chosen = 2;  // beside the rule a control chooses itself
    cells.push_back(copies);
  }
  const cell_index index(cells);
  const auto gains = gain_table(index, "best");
  CHECK(gains.columns[6] == "gain over the control best on test");
  CHECK(line(gains, "cora, GCN") ==
        "3 | weighted in 2 | 77.00 ± 2.00 | +5.00 [+5.00, +5.00] | +3.00 [+3.00, +3.00], weighted-controls | "
        "+2.00 [+2.00, +2.00], spread | 0.00 [0.00, 0.00] | 0.00 [0.00, 0.00]");
  const auto controls = control_table(index, "best");
  CHECK(line(controls, "weighted-controls (best control)").starts_with("74.00 ± 2.00 (+2.00)"));
  CHECK(line(controls, "spread (best on test)").starts_with("75.00 ± 2.00 (+3.00)"));
  CHECK(line(controls, "copy").starts_with("73.00 ± 2.00 (+1.00)"));
  CHECK(line(controls, "weighted-fast").starts_with("76.00 ± 2.00 (+4.00)"));
  CHECK(line(controls, "tuneup").starts_with("73.00 ± 2.00 (+1.00)"));
  CHECK(line(neighbors_table(index), "cora").starts_with("0.700 ± 0.100 | n/a | n/a | 0.250 ± 0.000"));
  const auto doubt = line(doubt_table(index, "best"), "cora, GCN");
  CHECK(doubt.starts_with("+5.00 [+5.00, +5.00] | +100.00 [+100.00, +100.00]"));
  CHECK(doubt_table(cell_index(test::sample_cells()), "released").rows.empty());
}

TEST_CASE("tables without anything to show have no rows") {
  const std::vector<cell_result> cells{test::sample_cell("none", "", 1, 0)};
  const cell_index index(cells);
  CHECK(settings_table(index).rows.empty());
  CHECK(configuration_table(index).rows.empty());
  CHECK(gain_table(index, "released").rows.empty());
  CHECK(combined_table(index, "released").rows.empty());
}
