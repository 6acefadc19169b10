// SPDX-License-Identifier: MIT
#include "experiments/results/cell_json.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "experiments/sample_cells.hpp"

using namespace graphpatcher;
using Catch::Contains;

TEST_CASE("a cell goes to JSON and back") {
  auto cell = test::sample_patcher("released", 3, 0.125);
  cell.key.seed = 18446744073709551615u;
  cell.by_patches[1].test.low.accuracy = undefined_metric;
  const auto json = cell_to_json(cell);
  const auto back = cell_from_json(record_json::parse(json.dump()));
  CHECK(cell_to_json(back).dump() == json.dump());
  CHECK(back.key == cell.key);
  CHECK(back.chosen == 3);
  CHECK(back.by_patches.size() == 4);
  CHECK(std::isnan(back.by_patches[1].test.low.accuracy));
  CHECK(back.by_patches[2].test.low.accuracy == Approx(74.25));
  CHECK(back.by_degree[1].degrees == "11+");
  CHECK(back.curve[1].loss == 0.5);
  CHECK(back.combined[0].rule == "mean of all");
  CHECK(back.settings == cell.settings);
  CHECK(std::isnan(back.peak_rss_mb));
}

TEST_CASE("an answer, a decision, neighbours and outcomes go to JSON and back") {
  auto cell = test::sample_cell("weighted", "small", 1, 0);
  cell.by_patches.resize(1);
  cell.answer = cell.by_patches[0];
  cell.answer->test.low.accuracy = 75;
  cell.answer->test.low.roc_auc = 62.5;
  cell.decision = run_decision{true, 4.5, 1, 0.75, 500, {{"own 3", 0.75}}, {"a warning"}};
  cell.neighbors.low = {0.5, 0.25};
  cell.outcomes = {{true, false, true, true}, {false, true, false}, {true, true, false}};
  const auto json = cell_to_json(cell);
  const auto back = cell_from_json(record_json::parse(json.dump()));
  CHECK(cell_to_json(back).dump() == json.dump());
  CHECK(back.after().test.low.accuracy == 75);
  CHECK(back.after().test.low.roc_auc == 62.5);
  CHECK(std::isnan(back.before().test.low.roc_auc));
  CHECK(back.before().test.low.accuracy == 70);
  CHECK(back.decision == cell.decision);
  CHECK(back.neighbors.low.diversity == 0.25);
  CHECK(std::isnan(back.neighbors.high.homophily));
  CHECK(back.outcomes.tested == cell.outcomes.tested);
  CHECK(back.outcomes.before == cell.outcomes.before);
  CHECK(back.outcomes.after == cell.outcomes.after);

  auto broken = json;
  broken["outcomes"]["after"] = "2:A";
  CHECK_THROWS_WITH(cell_from_json(broken), Contains("expected those of 3 tested nodes, got 3 before and 2 after"));
}

TEST_CASE("results of before answers, decisions and outcomes were kept are read") {
  auto json = cell_to_json(test::sample_patcher("released", 1, 1));
  for (const char* key : {"answer", "decision", "neighbors", "outcomes"}) {
    REQUIRE(json.erase(key) == 1);
  }
  const auto cell = cell_from_json(json);
  CHECK(cell.after().test.low.accuracy == 71);
  CHECK(!cell.answer);
  CHECK(!cell.decision);
  CHECK(cell.outcomes.empty());
  CHECK(std::isnan(cell.neighbors.low.homophily));
}

TEST_CASE("scores of unlabelled nodes are kept where they differ from those of the test nodes") {
  auto cell = test::sample_patcher("released", 3, 0.125);
  for (auto& row : cell.by_patches) {
    row.unlabelled = row.test;
  }
  cell.by_patches[2].unlabelled.low.accuracy = 12.5;
  cell.combined[0].unlabelled = cell.combined[0].test;
  const auto json = cell_to_json(cell);
  for (std::size_t n = 0; n < cell.by_patches.size(); ++n) {
    CHECK(json.at("by_patches").at(n).contains("unlabelled") == (n == 2));
  }
  CHECK_FALSE(json.at("combined").at(0).contains("unlabelled"));
  const auto back = cell_from_json(json);
  CHECK(back.by_patches[2].unlabelled.low.accuracy == 12.5);
  CHECK(back.by_patches[1].unlabelled.low.accuracy == back.by_patches[1].test.low.accuracy);
  CHECK(back.combined[0].unlabelled.overall.accuracy == back.combined[0].test.overall.accuracy);
}

TEST_CASE("JSON that contradicts itself is an error") {
  auto json = cell_to_json(test::sample_patcher("released", 1, 1));
  json["chosen"] = 4;
  CHECK_THROWS_AS(cell_from_json(json), argument_error);
  json["chosen"] = 1;
  for (const char* key : {"seed", "chosen", "iterations"}) {
    auto other = json;
    other[key] = -1;  // 2^64 - 1 to a reader that doesn't look
    CHECK_THROWS_WITH(cell_from_json(other),
                      Contains(std::string(key) + ": expected a whole number that is not negative"));
    other[key] = 1.5;
    CHECK_THROWS_AS(cell_from_json(other), argument_error);
  }
  json["by_patches"][2]["n"] = 7;
  CHECK_THROWS_WITH(cell_from_json(json), Contains("got 7 at position 2"));
  json.erase("by_patches");
  CHECK_THROWS_AS(cell_from_json(json), record_json::exception);
}
