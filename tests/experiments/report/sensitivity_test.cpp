// SPDX-License-Identifier: MIT
#include "experiments/report/sensitivity.hpp"

#include <catch2/catch.hpp>

#include "experiments/sample_cells.hpp"
#include "report/html_checker.hpp"

using namespace graphpatcher;
using Catch::Contains;

TEST_CASE("sweeps: one option at a time, by value, the preset's own among them") {
  auto cells = test::sample_cells();
  for (const auto& cell : test::sample_changes()) {
    cells.push_back(cell);
  }
  const cell_index index(cells);
  const auto sweeps = option_sweeps(index);
  REQUIRE(sweeps.size() == 2);  // a change of a setting that was not run is no sweep
  CHECK(sweeps[0].base == "paper");
  CHECK(sweeps[0].option == "samples");
  std::string values;
  for (const auto& value : sweeps[0].values) {
    values += value.value + " ";
  }
  CHECK(values == "2 10 20 exact ");
  CHECK(sweeps[1].option == "strength");
  CHECK(sweeps[1].values[1].value == "0.3");
  const auto figure = sweep_figure(index, sweeps[0]);
  REQUIRE(figure);
  CHECK(test::html_problem("<!DOCTYPE html>" + figure.drawing) == "");
  CHECK_THAT(figure.drawing, Contains("low third, samples of the corruption (L) exact: 1.50 ±"));
  CHECK(plain_text(figure.numbers.rows[3].cells[0]).starts_with("+1.50 ["));
}

TEST_CASE("sweeps: the last change of a setting is what varies") {
  auto cells = test::sample_cells();
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    cells.push_back(test::sample_patcher("released loss=paper", seed, 1));
    if (seed > 1) {
      cells.push_back(test::sample_patcher("released loss=paper samples=5", seed, 2));
    }
  }
  const cell_index index(cells);
  const auto sweeps = option_sweeps(index);
  REQUIRE(sweeps.size() == 2);
  CHECK(sweeps[0].option == "loss");
  CHECK(sweeps[1].base == "released loss=paper");
  REQUIRE(sweeps[1].values.size() == 2);
  CHECK(sweeps[1].values[0].value == "5");
  CHECK(sweeps[1].values[1].value == "10");
  // Seed 1 is missing for one value, so it counts for none: (2 + 3) / 2 patches times 2, and times 1.
  CHECK(common_seeds(index, sweeps[1]) == std::vector<std::uint64_t>{2, 3});
  const auto figure = sweep_figure(index, sweeps[1]);
  REQUIRE(figure);
  CHECK_THAT(figure.words.description, Contains("the 2 seeds that all values have"));
  CHECK(plain_text(figure.numbers.rows[0].cells[0]).starts_with("+5.00 ["));
  CHECK(plain_text(figure.numbers.rows[1].cells[0]).starts_with("+2.50 ["));
}

TEST_CASE("sweeps: without a seed that all values have there is no figure") {
  const std::vector<cell_result> cells{test::sample_patcher("small", 1, 1),
                                       test::sample_patcher("small hidden=64", 2, 1)};
  const cell_index index(cells);
  const auto sweeps = option_sweeps(index);
  REQUIRE(sweeps.size() == 1);
  CHECK_FALSE(sweep_figure(index, sweeps[0]));
}
