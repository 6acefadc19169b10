// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/summary.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "eval/sample_record.hpp"

using namespace graphpatcher;

TEST_CASE("before and after over seeds, each with its own choice") {
  const auto summary = summarise(test::sample_record());
  // low before: 70, 74; after: 70 + 2 * 1 = 72, 74 + 2 * 2 = 78
  CHECK(summary.before.low.mean == 72.0);
  CHECK(summary.before.low.deviation == Approx(std::sqrt(8.0)).epsilon(1e-14));
  CHECK(summary.after.low.mean == 75.0);
  CHECK(summary.after.low.deviation == Approx(std::sqrt(18.0)).epsilon(1e-14));
  CHECK(summary.before.high.mean == 90.0);
  CHECK(summary.after.high.mean == 89.25);
  CHECK(summary.after.overall.mean == 81.5);
  CHECK(summary.after.macro_f1.mean == 77.0);
  CHECK(summary.before.overall.deviation == 0.0);
}

TEST_CASE("results by number of patches") {
  const auto rows = summarise_patches(test::sample_record());
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].chosen_by == 0);
  CHECK(rows[1].chosen_by == 1);
  CHECK(rows[2].chosen_by == 1);
  CHECK(rows[1].results.low.mean == 74.0);
  CHECK(rows[2].results.high.mean == 89.0);
}

TEST_CASE("degrees are binned with every node of equal weight") {
  auto record = test::sample_record();
  record.runs[1].by_degree = {{0, 30, 90, 100}, {4, 20, 60, 70}, {12, 15, 50, 48}};
  const auto bins = bin_by_degree(record);
  REQUIRE(bins.size() == 4);
  CHECK(bins[0].label == "0");
  CHECK(bins[0].nodes == 20.0);
  CHECK(bins[0].before == 80.0);  // (10 * 50 + 30 * 90) / 40
  CHECK(bins[0].after == 90.0);   // (10 * 60 + 30 * 100) / 40
  CHECK(bins[1].label == "1");
  CHECK(bins[1].nodes == 15.0);
  CHECK(bins[2].label == "4-5");
  CHECK(bins[2].before == 70.0);
  CHECK(bins[3].label == "11+");
  CHECK(bins[3].before == 60.0);  // (5 * 90 + 15 * 50) / 20
  CHECK(bins[3].after == 58.0);   // (5 * 88 + 15 * 48) / 20
  record.runs[0].by_degree.clear();
  record.runs[1].by_degree = {{3, 0, undefined_metric, undefined_metric}};
  CHECK(bin_by_degree(record).empty());
}

TEST_CASE("a record that contradicts itself is refused") {
  auto record = test::sample_record();
  SECTION("no runs") {
    record.runs.clear();
    CHECK_THROWS_WITH(summarise(record), Catch::Contains("at least one run"));
  }
  SECTION("a seed twice, which would count twice in every mean") {
    record.runs[1].seed = record.runs[0].seed;
    CHECK_THROWS_WITH(summarise(record), Catch::Contains("expected every seed once, got seed 1 twice"));
  }
  SECTION("no results") {
    record.runs[0].by_patches.clear();
    CHECK_THROWS_AS(summarise(record), argument_error);
  }
  SECTION("seeds with different numbers of patches") {
    record.runs[1].by_patches.pop_back();
    CHECK_THROWS_WITH(summarise(record), Catch::Contains("seed 2 has results up to 1 patches, expected 2"));
  }
  SECTION("a number of patches out of place") {
    record.runs[1].by_patches[1].patches = 2;
    CHECK_THROWS_WITH(summarise(record), Catch::Contains("got 2 at position 1"));
  }
  SECTION("a choice that was not tried") {
    record.runs[0].chosen = 3;
    CHECK_THROWS_WITH(summarise(record), Catch::Contains("chose 3 patches, expected at most 2"));
  }
  SECTION("too few validation accuracies") {
    record.runs[0].validation.pop_back();
    CHECK_THROWS_AS(summarise(record), argument_error);
  }
}
