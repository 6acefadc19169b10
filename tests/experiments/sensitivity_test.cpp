// SPDX-License-Identifier: MIT
#include "graphpatcher/experiments/sensitivity.hpp"

#include <catch2/catch.hpp>

#include "eval/html_checker.hpp"
#include "experiments/sample_cells.hpp"

using namespace graphpatcher;
using Catch::Contains;

TEST_CASE("sweeps: one option at a time, by value, the preset's own among them") {
  auto cells = test::sample_cells();
  for (const auto& cell : test::sample_changes()) {
    cells.push_back(cell);
  }
  const cell_index index(cells);
  const auto sweeps = option_sweeps(index);
  REQUIRE(sweeps.size() == 2);  // two changes at once are no sweep
  CHECK(sweeps[0].preset == "paper");
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
  CHECK(plain_text(figure.numbers.rows[3].cells[1]).starts_with("+1.50 ["));
}
