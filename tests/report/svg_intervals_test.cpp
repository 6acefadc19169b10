// SPDX-License-Identifier: MIT
#include "report/svg_intervals.hpp"

#include <catch2/catch.hpp>

#include "report/html_checker.hpp"
#include "report/svg_lines.hpp"

using namespace graphpatcher;
using Catch::Contains;
using test::count_of;

TEST_CASE("intervals: a mark each, a line where there are bounds") {
  svg::interval_plot plot{{"Gains", "By dataset.", "", "points"}, {"cora", "a<b"}, {}};
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  plot.series.push_back({"low", "circle", {{1, 0.5, 1.5, "cora: +1"}, {-1, none, none, "a<b: -1"}}});
  plot.series.push_back({"high", "square", {{none, none, none, "never"}, {2, 1, 3, "a<b: 2"}}});
  const std::string drawing = svg::draw(plot);
  CHECK(test::html_problem("<!DOCTYPE html>" + drawing) == "");
  CHECK(count_of(drawing, "class=\"mark") == 3);
  CHECK(count_of(drawing, "class=\"stem") == 2);
  CHECK(count_of(drawing, "never") == 0);
  CHECK(count_of(drawing, "n/a") == 0);
  CHECK_THAT(drawing, Contains("<title>cora: +1</title>") && Contains(">a&lt;b</text>"));
  CHECK(test::html_problem("<!DOCTYPE html>" + svg::draw(svg::interval_plot{})) == "");
}

TEST_CASE("lines over names instead of numbers") {
  svg::line_plot plot;
  plot.text = {"Samples", "", "L", "gain"};
  plot.x_names = {"1", "20", "exact"};
  plot.lines.push_back({"low", "low", "circle", {0, 1, 2}, {1, 2, 3}, {}});
  const std::string drawing = svg::draw(plot);
  CHECK_THAT(drawing, Contains(">exact</text>") && Contains("low, L exact: 3.00"));
}
