// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "experiments/report/comparison.hpp"
#include "experiments/report/sheet.hpp"
#include "report/report_plots.hpp"
#include "report/svg_intervals.hpp"

/// The figures of an experiment. Each comes with the numbers it is drawn from:
/// they are its Markdown, and its text for who does not see it.
namespace graphpatcher {

struct experiment_figure {
  svg::plot_text words;
  std::string drawing;
  std::vector<detail::legend_entry> legend;
  sheet numbers;  ///< no rows: nothing to draw

  explicit operator bool() const { return !drawing.empty(); }
};

inline constexpr std::array<std::array<const char*, 3>, 3> group_looks{
    {{"low third", "low", "circle"}, {"high third", "high", "square"}, {"all nodes", "all", "diamond"}}};

/// Colour and shape of methods beside each other; no two of them are the same.
inline constexpr std::array<std::array<const char*, 2>, 6> method_looks{{{"low", "circle"},
                                                                         {"high", "square"},
                                                                         {"all", "diamond"},
                                                                         {"gain", "square"},
                                                                         {"loss", "circle"},
                                                                         {"before", "square"}}};

/// The interval of two seeds is 13 standard errors to either side: drawn, it would leave no room for the others.
svg::interval_mark gain_mark(const std::string& where, const paired_difference& gain);

/// Gain on the low third over backbone and best control, a group a dataset.
experiment_figure gain_figure(const cell_index& index, const std::string& backbone, const std::string& setting);

/// The presets beside each other, such as the losses "paper" and "released"; nothing for a single one.
experiment_figure preset_figure(const cell_index& index, const std::string& backbone);

/// Accuracy by degree before and after; its numbers have log-likelihood and calibration too.
experiment_figure degree_figure(const comparison& c);

/// Accuracy by number of patches, and the best control's low third; nothing if only 0 patches were tried.
experiment_figure patches_figure(const cell_index& index, const comparison& c);

/// Loss (or validation accuracy) over training, a line a seed; nothing if it was never measured.
experiment_figure training_figure(const comparison& c, bool validation);

}  // namespace graphpatcher
