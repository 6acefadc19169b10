// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "report/svg_plot.hpp"

namespace graphpatcher::svg {

/// One group of a before-and-after plot.
struct dot_pair {
  std::string label;  ///< under the axis
  std::string note;   ///< smaller, under that
  std::string hover;
  double before = 0;
  double after = 0;
  bool sure = false;  ///< the change is more than seeds differ anyway
};

struct dot_plot {
  plot_text text;
  std::vector<dot_pair> pairs;
};

/// For every group a ring (before), a dot to its right (after) and the way
/// between them, coloured where it is a gain or a loss for sure. Dots rather than bars: a bar has
/// to start at zero, where a change of two points can't be seen.
inline std::string draw(const dot_plot& plot) {
  std::vector<double> values;
  for (const auto& pair : plot.pairs) {
    values.push_back(pair.before);
    values.push_back(pair.after);
  }
  const scale y = value_scale(values, 0, 100);
  drawing sheet(true);
  sheet.axes(plot.text, y);
  constexpr double half = 9;  // from the middle of a group to its dots, so that neither hides the other
  const double slot = (right - left) / static_cast<double>(plot.pairs.empty() ? 1 : plot.pairs.size());
  for (std::size_t i = 0; i < plot.pairs.size(); ++i) {
    const auto& pair = plot.pairs[i];
    const double x = left + slot * (static_cast<double>(i) + 0.5);
    sheet.x_tick(x, pair.label, pair.note);
    if (!std::isfinite(pair.before) || !std::isfinite(pair.after)) {
      continue;
    }
    const std::string color = !pair.sure || pair.after == pair.before ? "same"
                              : pair.after > pair.before              ? "gain"
                                                                      : "loss";
    sheet.line(x - half, y(pair.before), x + half, y(pair.after), "stem c-" + color);
    sheet.path(mark_path("circle", x - half, y(pair.before), 5), "ring c-before", pair.hover);
    sheet.path(mark_path("circle", x + half, y(pair.after), 5.5), "mark c-" + color, pair.hover);
  }
  return sheet.finish(plot.text);
}

}  // namespace graphpatcher::svg
