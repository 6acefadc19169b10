// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "graphpatcher/eval/number_text.hpp"
#include "graphpatcher/eval/summary.hpp"
#include "report/html.hpp"
#include "report/paired_change.hpp"
#include "report/svg_dots.hpp"
#include "report/svg_lines.hpp"

/// The plots of a report: which numbers of a record go where.
namespace graphpatcher::detail {

struct legend_entry {
  std::string name;
  std::string color;
  std::string shape;  ///< circle, square, diamond; "ring" for a hollow circle
};

/// Legends are lists beside the drawing: they wrap, and never cover data.
inline std::string legend(const std::vector<legend_entry>& entries) {
  std::string items;
  for (const auto& entry : entries) {
    const bool ring = entry.shape == "ring";
    const std::string swatch =
        (ring ? std::string() : html::empty_element("path", {{"class", "line c-" + entry.color}, {"d", "M1 6h22"}})) +
        html::empty_element("path", {{"class", (ring ? "ring c-" : "mark c-") + entry.color},
                                     {"d", svg::mark_path(entry.shape, 12, 6, 4)}});
    items += html::element("li", html::element("svg", {{"viewBox", "0 0 24 12"}, {"aria-hidden", "true"}}, swatch) +
                                     html::text_element("span", entry.name));
  }
  return html::element("ul", {{"class", "legend"}}, items);
}

inline std::string figure(const svg::plot_text& words, const std::string& drawing,
                          const std::vector<legend_entry>& entries, const std::string& style = "") {
  return html::element("figure", {{"class", style}},
                       html::element("figcaption", html::text_element("h3", words.title) +
                                                       html::text_element("p", words.description) +
                                                       (entries.empty() ? std::string() : legend(entries))) +
                           drawing) +
         "\n";
}

/// Of before-and-after dots: colour where the 95 % interval over seeds leaves out zero.
inline std::vector<legend_entry> dot_legend() {
  return {{"before", "before", "ring"},
          {"after", "same", "circle"},
          {"after, sure gain", "gain", "circle"},
          {"after, sure loss", "loss", "circle"}};
}

/// What stands beside the backbone.
inline std::string answer_words(const run_record& record) {
  const auto& first = record.runs.front();
  return first.decision                        ? "with all answers weighed"
         : first.answer                        ? "with " + record.method
         : first.rule == patch_rule::validated ? "with the chosen number of patches"
                                               : text("with ", first.chosen, " patches");
}

/// Accuracy by degree, before and after; empty without degrees.
inline std::string degree_figure(const run_record& record) {
  const auto bins = bin_by_degree(record);
  if (bins.empty()) {
    return "";
  }
  svg::dot_plot plot;
  plot.text = {"Accuracy by degree",
               "Test nodes with the backbone alone and " + answer_words(record) + "; n is the number of nodes" +
                   std::string(record.runs.size() > 1 ? ", mean over seeds." : "."),
               "degree (number of neighbours)", "accuracy, %"};
  for (const auto& bin : bins) {
    const std::string count = fixed_text(bin.nodes, bin.nodes == std::round(bin.nodes) ? 0 : 1);
    plot.pairs.push_back({bin.label, "n " + fixed_text(bin.nodes, 0),
                          "degree " + bin.label + ", " + count + " nodes: " + fixed_text(bin.before, 2) +
                              " % before, " + fixed_text(bin.after, 2) + " % after (" +
                              signed_text(bin.after - bin.before, 2) + ")",
                          bin.before, bin.after, bin.differences.empty() ? false : change_of(bin.differences).sure});
  }
  return figure(plot.text, svg::draw(plot), dot_legend());
}

/// Accuracy by number of patches; empty if only 0 patches were tried.
inline std::string patches_figure(const run_record& record) {
  const auto rows = summarise_patches(record);
  if (rows.size() < 2) {
    return "";
  }
  const std::size_t seeds = record.runs.size();
  const bool chosen = record.runs.front().rule == patch_rule::validated;
  const std::string band = "Mean over seeds; the band is one standard deviation either way.";
  const std::string alone = "Zero patches is the backbone alone.";
  svg::line_plot plot;
  plot.text = {"Accuracy by number of patches",
               seeds > 1 ? band + (chosen ? " Below the axis: seeds that chose this number on validation." : "")
                         : alone + (chosen ? " The number is chosen on validation nodes." : ""),
               "patches", "accuracy, %"};
  plot.y_floor = 0;
  plot.y_ceiling = 100;
  plot.unit = " %";
  const auto line = [&](const char* name, const char* color, const char* shape, statistics result_statistics::*group) {
    svg::series series{name, color, shape, {}, {}, {}};
    for (const auto& row : rows) {
      series.x.push_back(static_cast<double>(row.patches));
      series.y.push_back((row.results.*group).mean);
      series.spread.push_back((row.results.*group).deviation);
    }
    if (seeds == 1) {
      series.spread.clear();
    }
    plot.lines.push_back(series);
  };
  line("high third", "high", "square", &result_statistics::high);
  line("all nodes", "all", "diamond", &result_statistics::overall);
  line("low third", "low", "circle", &result_statistics::low);
  std::vector<legend_entry> entries;
  for (const auto& series : plot.lines) {
    entries.push_back({series.name, series.color, series.shape});
  }
  for (const auto& row : rows) {
    if (row.chosen_by > 0) {
      plot.x_notes.emplace_back(static_cast<double>(row.patches),
                                !chosen      ? "given"
                                : seeds == 1 ? "chosen"
                                             : std::to_string(row.chosen_by) + " of " + std::to_string(seeds));
    }
  }
  return figure(plot.text, svg::draw(plot), entries);
}

/// One number over training, a line a seed; empty if it was never measured.
inline std::string curve_figure(const run_record& record, const svg::plot_text& words,
                                std::vector<curve_point> run_result::*curve, double curve_point::*number,
                                const std::string& color, const std::string& unit) {
  svg::line_plot plot;
  plot.text = words;
  plot.unit = unit;
  plot.y_floor = 0;
  for (const auto& run : record.runs) {
    svg::series series{"seed " + std::to_string(run.seed), color, "", {}, {}, {}};
    bool measured = false;
    for (const auto& point : run.*curve) {
      if (const double value = point.*number; std::isfinite(value)) {
        series.x.push_back(static_cast<double>(point.iteration));
        series.y.push_back(value);
        measured = true;
      }
    }
    if (measured) {
      plot.lines.push_back(std::move(series));
    }
  }
  return plot.lines.empty() ? "" : figure(words, svg::draw(plot), {}, plot.lines.size() > 1 ? "many" : "");
}

/// Loss and validation accuracy of backbone and patcher.
inline std::string training_figures(const run_record& record) {
  const std::string seeds = record.runs.size() > 1 ? " One line a seed." : "";
  return curve_figure(record,
                      {"Backbone: training loss", "Mean cross-entropy on training nodes." + seeds, "epoch", "loss"},
                      &run_result::backbone_curve, &curve_point::loss, "all", "") +
         curve_figure(record,
                      {"Backbone: validation accuracy", "Share of validation nodes predicted right." + seeds, "epoch",
                       "accuracy, %"},
                      &run_result::backbone_curve, &curve_point::validation, "high", " %") +
         curve_figure(record, {"Patcher: training loss", "KL divergence to the targets." + seeds, "iteration", "loss"},
                      &run_result::curves, &curve_point::loss, "all", "") +
         curve_figure(
             record,
             {"Patcher: validation accuracy", "With patches, at each evaluation." + seeds, "iteration", "accuracy, %"},
             &run_result::curves, &curve_point::validation, "high", " %");
}

}  // namespace graphpatcher::detail
