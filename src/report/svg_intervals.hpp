// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "report/svg_plot.hpp"

namespace graphpatcher::svg {

/// A value and the interval round it; a bound that is not finite is not drawn.
struct interval_mark {
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  std::string hover;
};

/// One kind of value, with a mark in every group that has it.
struct interval_series {
  std::string color;  ///< colour class
  std::string shape;  ///< circle, square, diamond
  std::vector<interval_mark> marks;
};

struct interval_plot {
  plot_text text;
  std::vector<std::string> groups;  ///< words under the axis
  std::vector<interval_series> series;
};

/// Marks with their intervals side by side, group by group, over a line at zero.
inline std::string draw(const interval_plot& plot) {
  std::vector<double> values{0};
  for (const auto& series : plot.series) {
    for (const auto& mark : series.marks) {
      values.insert(values.end(), {mark.value, mark.low, mark.high});
    }
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const scale y = value_scale(values, -infinity, infinity);
  const double slot = (right - left) / static_cast<double>(plot.groups.empty() ? 1 : plot.groups.size());
  const bool narrow = slot < 70;  // names under neighbours would touch: every second goes a line lower
  drawing sheet(narrow);
  sheet.axes(plot.text, y);
  sheet.line(left, y(0), right, y(0), "axis");
  for (std::size_t g = 0; g < plot.groups.size(); ++g) {
    const double middle = left + slot * (static_cast<double>(g) + 0.5);
    const bool lower = narrow && g % 2 == 1;
    sheet.x_tick(middle, lower ? "" : plot.groups[g], lower ? plot.groups[g] : "");
    const double step = slot / static_cast<double>(plot.series.size() + 1);
    for (std::size_t s = 0; s < plot.series.size(); ++s) {
      const auto& series = plot.series[s];
      if (g >= series.marks.size() || !std::isfinite(series.marks[g].value)) {
        continue;
      }
      const auto& mark = series.marks[g];
      const double x = middle + step * (static_cast<double>(s) - (static_cast<double>(plot.series.size()) - 1) / 2);
      if (std::isfinite(mark.low) && std::isfinite(mark.high)) {
        sheet.line(x, y(mark.low), x, y(mark.high), "stem c-" + series.color);
      }
      sheet.path(mark_path(series.shape, x, y(mark.value), 4.5), "mark c-" + series.color, mark.hover);
    }
  }
  return sheet.finish(plot.text);
}

}  // namespace graphpatcher::svg
