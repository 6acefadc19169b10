// SPDX-License-Identifier: MIT
#include "report/svg_plot.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "report/html_checker.hpp"
#include "report/svg_dots.hpp"
#include "report/svg_lines.hpp"

using namespace graphpatcher;

namespace {

const double undefined = std::numeric_limits<double>::quiet_NaN();

/// Every number of every path and line is finite: no "n/a" was drawn.
void check_drawing(const std::string& drawing) {
  CHECK(test::html_problem("<!DOCTYPE html>" + drawing) == "");
  CHECK(test::count_of(drawing, "n/a") == 0);
  CHECK(test::count_of(drawing, "nan") == 0);
}

}  // namespace

TEST_CASE("ticks are round numbers inside the range") {
  CHECK(svg::make_ticks(0, 10, 5).values == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(svg::make_ticks(71.2, 88.9, 5).values == std::vector<double>{75, 80, 85});
  const auto small = svg::make_ticks(0.11, 0.19, 4);
  CHECK(small.digits == 2);
  REQUIRE(small.values.size() == 4);
  CHECK(small.values.front() == Approx(0.12).epsilon(1e-12));
  CHECK(svg::make_ticks(0, 1, 5, 1).values == std::vector<double>{0, 1});
  CHECK(svg::make_ticks(5, 5, 5).values == std::vector<double>{5});
}

TEST_CASE("ticks are few for any range") {
  for (double width = 1e-9; width < 1e12; width *= 3.7) {
    for (const double low : {0.0, 1.0, -width / 3, 123.456}) {
      const auto ticks = svg::make_ticks(low, low + width, 5);
      CHECK(ticks.values.size() <= 7);
      for (const double value : ticks.values) {
        CHECK(value >= low - 1e-6 * width);
        CHECK(value <= low + width * (1 + 1e-6));
      }
    }
  }
}

TEST_CASE("scales have room and a height") {
  const auto flat = svg::value_scale(std::vector<double>{100, 100}, 0, 100);
  CHECK(flat.low < flat.high);
  CHECK(std::isfinite(flat(100)));
  const auto empty = svg::value_scale(std::vector<double>{undefined}, 0, 100);
  CHECK(empty.low < empty.high);
  const auto scale = svg::value_scale(std::vector<double>{50, 60, undefined}, 0, 100);
  CHECK(scale.low == Approx(49.2));
  CHECK(scale.high == Approx(60.8));
  CHECK(scale(scale.low) == svg::bottom);
  CHECK(scale(scale.high) == svg::top);
  CHECK(svg::value_scale(std::vector<double>{1, 99.9}, 0, 100).high == 100.0);
}

TEST_CASE("a long curve is thinned, its ends kept") {
  CHECK(svg::detail::thinned(3, 10) == std::vector<std::size_t>{0, 1, 2});
  const auto kept = svg::detail::thinned(10001, 5);
  CHECK(kept == std::vector<std::size_t>{0, 2500, 5000, 7500, 10000});
  CHECK(svg::detail::thinned(0, 5).empty());
  CHECK(svg::detail::thinned(4, 1) == std::vector<std::size_t>{0});
}

TEST_CASE("lines: one mark a value with its words, gaps where nothing was measured") {
  svg::line_plot plot;
  plot.text = {"A <title>", "what & why", "patches", "accuracy, %"};
  plot.unit = " %";
  plot.x_notes = {{2, "chosen"}};
  plot.lines = {{"low \"third\"", "low", "circle", {0, 1, 2, 3}, {70, undefined, 72, 73.5}, {1, 1, undefined, 0.5}}};
  const std::string drawing = svg::draw(plot);
  check_drawing(drawing);
  CHECK(test::count_of(drawing, "class=\"mark c-low\"") == 3);
  CHECK_THAT(drawing, Catch::Contains("low &quot;third&quot;, patches 3: 73.50 ± 0.50 %"));
  CHECK_THAT(drawing, Catch::Contains("<title>A &lt;title&gt;</title><desc>what &amp; why</desc>"));
  CHECK_THAT(drawing, Catch::Contains(">chosen</text>"));
  const auto route =
      drawing.substr(drawing.find("class=\"line"), drawing.find("class=\"mark") - drawing.find("class=\"line"));
  CHECK(test::count_of(route, "M") == 2);
}

TEST_CASE("lines without a value, with one, and with many") {
  svg::line_plot plot;
  plot.lines = {{"none", "all", "", {}, {}, {}}, {"undefined", "all", "", {1, 2}, {undefined, undefined}, {}}};
  check_drawing(svg::draw(plot));
  plot.lines = {{"one", "all", "", {5}, {0.5}, {}}};
  CHECK(test::count_of(svg::draw(plot), "class=\"hover") == 1);
  check_drawing(svg::draw(plot));
  svg::series many{"many", "all", "", {}, {}, {}};
  for (int i = 0; i < 10000; ++i) {
    many.x.push_back(i);
    many.y.push_back(std::exp(-i / 500.0));
  }
  plot.lines = {many};
  CHECK(svg::draw(plot).size() < 20000);
  CHECK_THAT(svg::draw(plot), Catch::Contains("9999"));
  check_drawing(svg::draw(plot));
}

TEST_CASE("dots: gain, loss, no change, nothing measured, a gain that may be none") {
  svg::dot_plot plot;
  plot.text = {"t", "d", "degree", "accuracy"};
  plot.pairs = {{"0", "n 3", "hover <0>", 50, 60, true},
                {"1", "n 4", "h", 70, 69, true},
                {"2", "n 5", "h", 80, 80, true},
                {"3", "n 0", "h", undefined, 80, true},
                {"4", "n 6", "h", 60, 70, false}};
  const std::string drawing = svg::draw(plot);
  check_drawing(drawing);
  CHECK(test::count_of(drawing, "mark c-gain") == 1);
  CHECK(test::count_of(drawing, "mark c-loss") == 1);
  CHECK(test::count_of(drawing, "mark c-same") == 2);
  CHECK(test::count_of(drawing, "ring c-before") == 4);
  CHECK(test::count_of(drawing, "<title>hover &lt;0&gt;</title>") == 2);
  check_drawing(svg::draw(svg::dot_plot{}));
}
