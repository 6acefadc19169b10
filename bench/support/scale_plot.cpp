// SPDX-License-Identifier: MIT
#include "scale_plot.hpp"

#include <cmath>
#include <functional>

#include "report/svg_lines.hpp"

namespace bench {

namespace {

namespace svg = graphpatcher::svg;

/// Colours of a drawing that stands alone, for light and dark pages.
constexpr const char* style = R"css(<style>
:root { color-scheme: light dark; --soft: #5c646d; --grid: #ececea; --card: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --soft: #9ba4ad; --grid: #292e33; --card: #1c2024; } }
text { font: 12px system-ui, sans-serif; fill: var(--soft); }
text.name { fill: currentColor; }
.grid { stroke: var(--grid); } .axis { stroke: #80878f; }
.line { fill: none; stroke: currentColor; stroke-width: 2; }
.mark { fill: currentColor; stroke: var(--card); stroke-width: 1.5; }
.c-low { color: #b8548f; } .c-high { color: #2b84c8; } .c-gain { color: #1a9475; } .c-loss { color: #d2691e; } .c-none { display: none; }
</style>)css";

struct line {
  const char* name;
  const char* color;
  const char* shape;
  scale_cost scale_point::*cost;
};
constexpr line lines[] = {{"ego-graphs built", "loss", "diamond", &scale_point::ego_batch},
                          {"corrupted ego-graphs", "low", "circle", &scale_point::ego_graphs},
                          {"training iteration", "high", "square", &scale_point::train_iteration},
                          {"patching", "gain", "circle", &scale_point::patching}};

/// The svg element as a file: name space, colours, and a legend in the colours of the lines.
std::string standing_alone(std::string drawing) {
  std::string legend;
  double y = svg::top + 8;
  for (const line& each : lines) {
    legend += "<text class=\"name c-" + std::string(each.color) + "\" x=\"" +
              graphpatcher::fixed_text(svg::left + 10, 0) + "\" y=\"" + graphpatcher::fixed_text(y, 0) + "\">" +
              each.name + "</text>";
    y += 15;
  }
  drawing.replace(0, 4, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
  drawing.insert(drawing.find('>') + 1, style);
  drawing.insert(drawing.rfind("</svg>"), legend);
  return drawing + "\n";
}

std::string plot(const std::vector<scale_point>& points, svg::plot_text text, double ceiling,
                 const std::function<double(const scale_point&, const scale_cost&, const scale_cost& first)>& value) {
  svg::line_plot sheet{.text = std::move(text), .lines = {}, .x_notes = {}, .y_floor = 0, .unit = ""};
  double highest = ceiling;
  for (const line& each : lines) {
    svg::series series{each.name, each.color, each.shape, {}, {}, {}};
    for (const scale_point& point : points) {
      series.x.push_back(std::log10(static_cast<double>(point.edges)));
      series.y.push_back(value(point, point.*each.cost, points.front().*each.cost));
      highest = std::max(highest, series.y.back());
    }
    sheet.lines.push_back(std::move(series));
  }
  // not seen: it lets the axis begin at 0 and leaves room for the legend above the lines
  const double x = sheet.lines.front().x.front();
  sheet.lines.push_back({"", "none", "", {x, x}, {0, 1.4 * highest}, {}});
  return standing_alone(svg::draw(sheet));
}

}  // namespace

std::string time_plot(const std::vector<scale_point>& points) {
  return plot(points,
              {"Cost of an anchor", "Time an anchor on R-MAT graphs, relative to the smallest graph.",
               "edges, as a power of ten", "time an anchor, smallest graph = 1"},
              2, [](const scale_point&, const scale_cost& cost, const scale_cost& first) {
                return cost.seconds_per_anchor / first.seconds_per_anchor;
              });
}

std::string memory_plot(const std::vector<scale_point>& points) {
  return plot(
      points,
      {"Memory", "Peak memory over the size of data and models, on R-MAT graphs.", "edges, as a power of ten",
       "peak memory / data, models and results"},
      2, [](const scale_point& point, const scale_cost& cost, const scale_cost&) { return memory_share(point, cost); });
}

}  // namespace bench
