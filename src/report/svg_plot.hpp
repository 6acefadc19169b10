// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/eval/number_text.hpp"
#include "report/html.hpp"

/// What every plot of a report shares: the sheet, scales, ticks and marks.
/// Colours are not here: a mark has a colour class ("low", "gain", ..) that the
/// style sheet fills in, so one drawing serves light and dark pages.
namespace graphpatcher::svg {

/// The sheet, in user units; the page scales it to the width it has. Data stay
/// inside left..right and top..bottom, words outside of it.
inline constexpr double sheet_width = 440;
inline constexpr double left = 48, right = 430, top = 34, bottom = 236;

/// Words of a plot: what it shows, and what its axes are.
struct plot_text {
  std::string title;
  std::string description;
  std::string x_label;
  std::string y_label;
};

/// Maps low..high of the data to from..to of the sheet.
struct scale {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;

  double operator()(double value) const { return from + (to - from) * (value - low) / (high - low); }
};

/// Smallest and largest finite value, {0, 1} if there is none.
inline std::pair<double, double> finite_range(std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  return low <= high ? std::pair{low, high} : std::pair{0.0, 1.0};
}

/// Round numbers inside [low, high], about `wanted` of them: steps of 1, 2 or 5
/// times a power of ten, never below `least_step`.
struct tick_list {
  std::vector<double> values;
  int digits = 0;  ///< decimals that tell them apart
};

inline tick_list make_ticks(double low, double high, int wanted, double least_step = 0) {
  const double rough = std::max((high - low) / wanted, std::max(least_step, 1e-12 * std::max(1.0, std::abs(high))));
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double lead = rough / power;
  const double step = power * (lead <= 1.0 + 1e-9 ? 1 : lead <= 2.0 + 1e-9 ? 2 : lead <= 5.0 + 1e-9 ? 5 : 10);
  tick_list ticks;
  ticks.digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  for (double n = std::ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; ++n) {
    ticks.values.push_back(n * step);
  }
  return ticks;
}

/// Room above and below the data, within [floor, ceiling]; never of height 0.
inline scale value_scale(std::span<const double> values, double floor, double ceiling) {
  const auto [low, high] = finite_range(values);
  const double room = std::max(0.08 * (high - low), 1e-3 * std::max(1.0, std::abs(high)));
  const double padded_low = std::max(floor, low - room);
  const double padded_high = std::min(ceiling, high + room);
  return padded_low < padded_high ? scale{padded_low, padded_high, bottom, top}
                                  : scale{low - room, high + room, bottom, top};
}

/// A mark's outline round (x, y); the shape tells series apart without colour.
inline std::string mark_path(std::string_view shape, double x, double y, double r) {
  const auto at = [](double value) { return fixed_text(value, 1); };
  if (shape == "square") {
    return "M" + at(x - r) + " " + at(y - r) + "h" + at(2 * r) + "v" + at(2 * r) + "h" + at(-2 * r) + "z";
  }
  if (shape == "diamond") {
    return "M" + at(x) + " " + at(y - 1.3 * r) + "L" + at(x + 1.3 * r) + " " + at(y) + "L" + at(x) + " " +
           at(y + 1.3 * r) + "L" + at(x - 1.3 * r) + " " + at(y) + "z";
  }
  return "M" + at(x - r) + " " + at(y) + "a" + at(r) + " " + at(r) + " 0 1 0 " + at(2 * r) + " 0a" + at(r) + " " +
         at(r) + " 0 1 0 " + at(-2 * r) + " 0z";
}

/// Collects shapes; finish() gives the svg element. A sheet with notes under
/// its ticks is a line higher than one without.
class drawing {
public:
  explicit drawing(bool notes) : height_(notes ? bottom + 68 : bottom + 50) {}

  void line(double x1, double y1, double x2, double y2, const std::string& style) {
    body_ +=
        html::empty_element("line", {{"class", style}, {"x1", at(x1)}, {"y1", at(y1)}, {"x2", at(x2)}, {"y2", at(y2)}});
  }
  /// A path; `hover` is shown when the pointer rests on it.
  void path(const std::string& d, const std::string& style, const std::string& hover = "") {
    body_ += hover.empty() ? html::empty_element("path", {{"class", style}, {"d", d}})
                           : html::element("path", {{"class", style}, {"d", d}}, html::text_element("title", hover));
  }
  /// `anchor`: start, middle or end.
  void words(double x, double y, const std::string& anchor, const std::string& style, const std::string& words) {
    body_ += html::text_element("text", {{"class", style}, {"x", at(x)}, {"y", at(y)}, {"text-anchor", anchor}}, words);
  }

  /// Horizontal grid with its labels, and the names of both axes.
  void axes(const plot_text& text, const scale& y) {
    const auto ticks = make_ticks(y.low, y.high, 5);
    for (const double value : ticks.values) {
      line(left, y(value), right, y(value), "grid");
      words(left - 8, y(value) + 4, "end", "tick", fixed_text(value, ticks.digits));
    }
    line(left, bottom, right, bottom, "axis");
    words(0, 14, "start", "label", text.y_label);
    words((left + right) / 2, height_ - 8, "middle", "label", text.x_label);
  }
  /// A label under the x axis, and a smaller note under that.
  void x_tick(double x, const std::string& label, const std::string& note = "") {
    line(x, bottom, x, bottom + 4, "axis");
    words(x, bottom + 19, "middle", "tick", label);
    if (!note.empty()) {
      words(x, bottom + 36, "middle", "note", note);
    }
  }

  std::string finish(const plot_text& text) const {
    return html::element(
        "svg",
        {{"viewBox", "0 0 " + fixed_text(sheet_width, 0) + " " + fixed_text(height_, 0)},
         {"role", "img"},
         {"aria-label", text.title + ". " + text.description}},
        html::text_element("title", text.title) + html::text_element("desc", text.description) + body_);
  }

private:
  static std::string at(double value) { return fixed_text(value, 1); }

  double height_;
  std::string body_;
};

}  // namespace graphpatcher::svg
