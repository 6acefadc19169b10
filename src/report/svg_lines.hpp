// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "report/svg_plot.hpp"

namespace graphpatcher::svg {

/// One line of a plot. A y that is not finite leaves a gap.
struct series {
  std::string name;
  std::string color;  ///< colour class
  std::string shape;  ///< of its marks: circle, square, diamond; empty: a plain line
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> spread;  ///< half the height of a band round the line; may be empty
};

struct line_plot {
  plot_text text;
  std::vector<series> lines;
  std::vector<std::pair<double, std::string>> x_notes;  ///< words under the tick at x
  std::vector<std::string> x_names;                     ///< if any, x = 0, 1, .. are called this
  double y_floor = -std::numeric_limits<double>::infinity();
  double y_ceiling = std::numeric_limits<double>::infinity();
  std::string unit;  ///< said after a value on hover
  /// At most this many values can be hovered on a line without marks, and at
  /// most this many are drawn: a curve of 10,000 epochs has no more pixels.
  std::size_t hover_points = 40;
  std::size_t curve_points = 240;
};

namespace detail {

/// Positions 0 .. count - 1 thinned evenly to at most `most`, both ends kept.
inline std::vector<std::size_t> thinned(std::size_t count, std::size_t most) {
  std::vector<std::size_t> kept;
  const std::size_t shown = std::min(count, most);
  for (std::size_t i = 0; i < shown; ++i) {
    kept.push_back(shown == 1 ? 0 : i * (count - 1) / (shown - 1));
  }
  return kept;
}

/// What stands at x: a number, or the name that was given to it.
inline std::string x_text(const line_plot& plot, double x) {
  const bool named = x >= 0 && x < static_cast<double>(plot.x_names.size());
  return named ? plot.x_names[static_cast<std::size_t>(x)] : shortest_text(x);
}

inline std::string point_text(double x, double y) {
  return fixed_text(x, 1) + " " + fixed_text(y, 1);
}

inline void draw_band(drawing& sheet, const series& line, const scale& x, const scale& y) {
  std::string upper, lower;
  for (std::size_t i = 0; i < line.spread.size(); ++i) {
    if (std::isfinite(line.y[i]) && std::isfinite(line.spread[i])) {
      const auto edge = [&](double value) { return point_text(x(line.x[i]), y(std::clamp(value, y.low, y.high))); };
      upper += (upper.empty() ? "M" : "L") + edge(line.y[i] + line.spread[i]);
      lower = "L" + edge(line.y[i] - line.spread[i]) + lower;
    }
  }
  if (!upper.empty()) {
    sheet.path(upper + lower + "z", "band c-" + line.color);
  }
}

inline void draw_series(drawing& sheet, const line_plot& plot, const series& line, const scale& x, const scale& y) {
  std::string route;
  bool gap = true;
  for (const std::size_t i : thinned(line.x.size(), plot.curve_points)) {
    if (std::isfinite(line.y[i])) {
      route += (gap ? "M" : "L") + point_text(x(line.x[i]), y(line.y[i]));
    }
    gap = !std::isfinite(line.y[i]);
  }
  if (route.empty()) {
    return;
  }
  sheet.path(route, "line c-" + line.color);
  const bool marks = !line.shape.empty();
  for (const std::size_t i : thinned(line.x.size(), marks ? line.x.size() : plot.hover_points)) {
    if (std::isfinite(line.y[i])) {
      const bool band = i < line.spread.size() && line.spread[i] > 0;
      const std::string value =
          fixed_text(line.y[i], 2) + (band ? " ± " + fixed_text(line.spread[i], 2) : "") + plot.unit;
      sheet.path(mark_path(marks ? line.shape : "circle", x(line.x[i]), y(line.y[i]), marks ? 4 : 5),
                 (marks ? "mark c-" : "hover c-") + line.color,
                 line.name + ", " + plot.text.x_label + " " + x_text(plot, line.x[i]) + ": " + value);
    }
  }
}

}  // namespace detail

/// Lines over a common x axis of whole numbers or names, bands below them.
inline std::string draw(const line_plot& plot) {
  std::vector<double> xs, ys;
  for (const auto& line : plot.lines) {
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      const double spread = i < line.spread.size() && std::isfinite(line.spread[i]) ? line.spread[i] : 0.0;
      xs.push_back(line.x[i]);
      ys.push_back(line.y[i] - spread);
      ys.push_back(line.y[i] + spread);
    }
  }
  const auto [first, last] = finite_range(xs);
  const scale x{first, last > first ? last : first + 1, left + 14, right - 14};
  const scale y = value_scale(ys, plot.y_floor, plot.y_ceiling);
  drawing sheet(!plot.x_notes.empty());
  sheet.axes(plot.text, y);
  const auto ticks = make_ticks(x.low, x.high, plot.x_names.empty() ? 5 : static_cast<int>(plot.x_names.size()), 1);
  for (const double value : ticks.values) {
    const auto note = std::ranges::find(plot.x_notes, value, &std::pair<double, std::string>::first);
    sheet.x_tick(x(value), plot.x_names.empty() ? fixed_text(value, 0) : detail::x_text(plot, value),
                 note == plot.x_notes.end() ? "" : note->second);
  }
  for (const auto& line : plot.lines) {
    detail::draw_band(sheet, line, x, y);
  }
  for (const auto& line : plot.lines) {
    detail::draw_series(sheet, plot, line, x, y);
  }
  return sheet.finish(plot.text);
}

}  // namespace graphpatcher::svg
