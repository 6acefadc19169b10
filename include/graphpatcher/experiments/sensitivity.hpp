// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "graphpatcher/experiments/experiment_figures.hpp"
#include "graphpatcher/experiments/paper_tables.hpp"

/// How results follow one option: learning rate, hidden size, strength, number of samples.
namespace graphpatcher {

/// One value of an option: the setting that has it, and the value as text.
struct option_value {
  std::string value;
  std::string setting;
};

/// One option of one preset on one dataset and backbone, by value. The exact
/// expectation counts as a number of samples: it is the limit of many.
struct option_sweep {
  std::string dataset, backbone, preset, option;
  std::vector<option_value> values;
};

namespace detail {

/// Numbers by size, then words.
inline std::pair<double, std::string> value_order(const option_value& v) {
  double number = 0;
  const auto end = v.value.data() + v.value.size();
  const auto read = std::from_chars(v.value.data(), end, number);
  return {read.ec == std::errc() && read.ptr == end ? number : std::numeric_limits<double>::infinity(), v.value};
}

/// The preset's own value of an option, "" if its cells don't tell: "learning-rate" is "learning rate".
inline std::string preset_value(const cell_index::by_seed& cells, const std::string& option) {
  if (cells.empty()) {
    return "";
  }
  for (const auto& [name, value] : cells.begin()->second->settings.entries()) {
    if (bare_name(name) == bare_name(option)) {
      return setting_text(value);
    }
    if (option == "strength" && name == "strengths") {  // an arithmetic sequence, decreasing: its last is its step
      const std::string list = setting_text(value);
      return list.substr(list.find_last_of(", ") + 1);
    }
  }
  return "";
}

}  // namespace detail

/// Every option that was tried with another value than the preset's, alone.
inline std::vector<option_sweep> option_sweeps(const cell_index& index) {
  std::vector<option_sweep> sweeps;
  for (const auto& dataset : index.datasets()) {
    for (const auto& backbone : index.backbones()) {
      for (const auto& setting : index.settings()) {
        const auto parts = split_setting(setting);
        if (parts.changes.size() != 1 || index.find(dataset, backbone, "graphpatcher", setting).empty()) {
          continue;
        }
        const bool exact = parts.changes[0] == std::array<std::string, 2>{"estimator", "exact"};
        const std::string option = exact ? "samples" : parts.changes[0][0];
        auto at = std::ranges::find_if(sweeps, [&](const option_sweep& s) {
          return s.dataset == dataset && s.backbone == backbone && s.preset == parts.preset && s.option == option;
        });
        if (at == sweeps.end()) {
          at = sweeps.insert(at, {dataset, backbone, parts.preset, option, {}});
          const auto& cells = index.find(dataset, backbone, "graphpatcher", parts.preset);
          if (!cells.empty()) {
            const std::string value = detail::preset_value(cells, option);
            at->values.push_back({value.empty() || value.size() > 8 ? "preset" : value, parts.preset});
          }
        }
        const std::string value = parts.changes[0][1];
        std::erase_if(at->values, [&](const option_value& v) { return v.value == value; });
        at->values.push_back({value, setting});
      }
    }
  }
  for (auto& sweep : sweeps) {
    std::ranges::sort(sweep.values, {}, detail::value_order);
  }
  return sweeps;
}

/// Gain over the backbone by the option's value, with 95 % bands; nothing for a single value.
inline experiment_figure sweep_figure(const cell_index& index, const option_sweep& sweep) {
  if (sweep.values.size() < 2) {
    return {};
  }
  const std::string name = sweep.option == "samples" ? "samples of the corruption (L)" : sweep.option;
  experiment_figure figure{{pair_name(sweep.dataset, sweep.backbone) + ": " + name,
                            "GraphPatcher, " + sweep.preset +
                                ", with one option changed: gain over the backbone on test "
                                "nodes, mean over seeds; the band is the 95 % interval.",
                            name, "gain, percentage points"},
                           "",
                           {},
                           {}};
  figure.numbers = {figure.words.title, figure.words.description, {name, "seeds"}, {}};
  svg::line_plot plot;
  plot.text = figure.words;
  for (const auto& v : sweep.values) {
    plot.x_names.push_back(v.value);
    const auto& cells = index.find(sweep.dataset, sweep.backbone, "graphpatcher", v.setting);
    figure.numbers.rows.push_back({v.value, {{std::to_string(cells.size())}}, false});
  }
  for (std::size_t g = 0; g < all_groups.size(); ++g) {
    const auto& look = detail::group_looks[g];
    svg::series series{look[0], look[1], look[2], {}, {}, {}};
    for (std::size_t i = 0; i < sweep.values.size(); ++i) {
      const auto gain = compare(index, sweep.dataset, sweep.backbone, sweep.values[i].setting).gain({all_groups[g]});
      series.x.push_back(static_cast<double>(i));
      series.y.push_back(gain.mean);
      series.spread.push_back(gain.high - gain.mean);
      figure.numbers.rows[i].cells.push_back(gain_cell(gain));
    }
    figure.numbers.columns.push_back(look[0]);
    figure.legend.push_back({look[0], look[1], look[2]});
    plot.lines.push_back(std::move(series));
  }
  figure.drawing = svg::draw(plot);
  return figure;
}

}  // namespace graphpatcher
