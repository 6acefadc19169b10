// SPDX-License-Identifier: MIT
#include "experiments/report/summary.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "experiments/results/results_file.hpp"
#include "experiments/sample_cells.hpp"
#include "support/temporary_folder.hpp"

using namespace graphpatcher;
using nlohmann::json;

namespace {

/// The cells of two seeds with the rule: 74 and 75 in the low third, where the backbone has 70 and 72.
std::vector<cell_result> cells_of_the_rule() {
  std::vector<cell_result> cells;
  for (const std::uint64_t seed : {1u, 2u}) {
    auto alone = test::sample_cell("none", "", seed, 0);
    alone.by_patches.resize(1);
    const auto answering = [&](const char* method, const char* setting, double low) {
      auto cell = test::sample_cell(method, setting, seed, 0);
      cell.by_patches.resize(1);
      cell.answer = cell.by_patches[0];
      cell.answer->test.low.accuracy = low;
      cells.push_back(cell);
    };
    answering("graphpatcher", "best", seed == 1 ? 74 : 75);
    cells.back().decision = run_decision{seed == 1, 2, 1, 0.5, 500, {}, {}};
    answering("weighted-controls", "", seed == 1 ? 72 : 73);
    answering("spread", "", seed == 1 ? 73 : 73.5);
    cells.push_back(alone);
    cells.push_back(test::sample_patcher("small", seed, 1));
  }
  return cells;
}

json summary_of(std::span<const cell_result> cells, const std::string& method, const std::string& setting) {
  const auto all = json::parse(experiment_summary(cells));
  for (const auto& entry : all) {
    if (entry.at("method") == method && entry.at("setting") == setting) {
      return entry;
    }
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the summary of a small results file, by hand") {
  const gp_test::temporary_folder folder;
  {
    results_file file(folder.path() / "results.jsonl");
    for (const auto& cell : cells_of_the_rule()) {
      file.add(cell);
    }
  }
  const auto cells = read_cells(folder.path() / "results.jsonl");
  CHECK(json::parse(experiment_summary(cells)).size() == 5);
  const auto best = summary_of(cells, "graphpatcher", "best");
  CHECK(best.at("dataset") == "cora");
  CHECK(best.at("backbone") == "gcn");
  CHECK(best.at("seeds") == 2);
  CHECK(best.at("metric") == "accuracy");
  const auto& low = best.at("low");
  CHECK(low.at("before") == 71);
  CHECK(low.at("after") == 74.5);
  CHECK(low.at("gain") == 3.5);  // 4 and 3: deviation 0.7071, t of one degree of freedom 12.7062
  CHECK(low.at("interval")[0].get<double>() == Approx(3.5 - 12.7062 * 0.5).margin(1e-3));
  CHECK(low.at("interval")[1].get<double>() == Approx(3.5 + 12.7062 * 0.5).margin(1e-3));
  CHECK(low.at("interval_over_nodes").is_null());  // no outcomes of nodes were kept
  CHECK(best.at("high").at("gain") == 0);
  CHECK(best.at("all").at("before") == 80);
  CHECK(best.at("over_best_control").at("control") == "weighted-controls");
  CHECK(best.at("over_best_control").at("gain") == 2);
  CHECK(best.at("over_control_best_on_test").at("control") == "spread");
  CHECK(best.at("over_control_best_on_test").at("gain") == 1.25);  // 1 and 1.5
  CHECK(best.at("decision") == json{{"weighted", 1}, {"backbone", 1}});

  const auto small = summary_of(cells, "graphpatcher", "small");
  CHECK(small.at("low").at("gain") == 1.5);  // one patch, two patches
  CHECK(small.at("decision") == json{{"1", 1}, {"2", 1}});
  const auto none = summary_of(cells, "none", "");
  CHECK(none.at("low").at("gain") == 0);
  CHECK(none.at("decision").is_null());
  CHECK(summary_of(cells, "weighted-controls", "").at("over_best_control").is_null());  // over itself
  CHECK(summary_of(cells, "spread", "").at("over_best_control").at("gain") == 0.75);
}

TEST_CASE("a summary of nothing, of one seed, and without controls") {
  CHECK(json::parse(experiment_summary({})).empty());
  const std::vector<cell_result> one{test::sample_patcher("small", 1, 1)};
  const auto entry = json::parse(experiment_summary(one)).at(0);
  CHECK(entry.at("seeds") == 1);
  CHECK(entry.at("low").at("gain") == 1);
  CHECK(entry.at("low").at("interval").is_null());
  CHECK(entry.at("over_best_control").is_null());
}

TEST_CASE("where ROC-AUC is what counts, the summary is of it") {
  auto cells = cells_of_the_rule();
  for (auto& cell : cells) {
    cell.key.dataset = "tolokers";
    cell.by_patches[0].test.low.roc_auc = 60;
    if (cell.answer) {
      cell.answer->test.low.roc_auc = 64;
    }
  }
  const auto best = summary_of(cells, "graphpatcher", "best");
  CHECK(best.at("metric") == "ROC-AUC");
  CHECK(best.at("low").at("gain") == 4);
  CHECK(best.at("high").at("gain").is_null());
}
