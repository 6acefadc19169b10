// SPDX-License-Identifier: MIT
#include "experiments/report/sensitivity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>
#include <utility>

#include "experiments/report/paper_tables.hpp"
#include "experiments/report/tables.hpp"

namespace graphpatcher {

namespace {

/// Numbers by size, then words.
std::pair<double, std::string> value_order(const option_value& v) {
  double number = 0;
  const auto end = v.value.data() + v.value.size();
  const auto read = std::from_chars(v.value.data(), end, number);
  return {read.ec == std::errc() && read.ptr == end ? number : std::numeric_limits<double>::infinity(), v.value};
}

/// A setting without its last change.
std::string base_of(const setting_parts& parts) {
  std::string base = parts.preset;
  for (std::size_t i = 0; i + 1 < parts.changes.size(); ++i) {
    base += " " + parts.changes[i][0] + "=" + parts.changes[i][1];
  }
  return base;
}

/// The base's own value of an option, "" if its cells don't tell.
std::string base_value(const cell_index::by_seed& cells, const std::string& option) {
  if (cells.empty()) {
    return "";
  }
  for (const auto& [name, value] : cells.begin()->second->settings.entries()) {
    if (name == option_name(option)) {
      return setting_text(value);
    }
    if (option == "strength" && name == "strengths") {  // an arithmetic sequence, decreasing: its last is its step
      const std::string list = setting_text(value);
      return list.substr(list.find_last_of(", ") + 1);
    }
  }
  return "";
}

}  // namespace

std::vector<std::uint64_t> common_seeds(const cell_index& index, const option_sweep& sweep) {
  std::vector<std::uint64_t> seeds;
  for (const auto& [seed, cell] : index.patched(sweep.dataset, sweep.backbone, sweep.values.front().setting)) {
    if (std::ranges::all_of(sweep.values, [&, wanted = seed](const option_value& v) {
          return index.patched(sweep.dataset, sweep.backbone, v.setting).contains(wanted);
        })) {
      seeds.push_back(seed);
    }
  }
  return seeds;
}

std::vector<option_sweep> option_sweeps(const cell_index& index) {
  std::vector<option_sweep> sweeps;
  for (const auto& dataset : index.datasets()) {
    for (const auto& backbone : index.backbones()) {
      for (const auto& setting : index.settings()) {
        const auto parts = split_setting(setting);
        if (parts.changes.empty() || index.patched(dataset, backbone, setting).empty()) {
          continue;
        }
        const auto& [name, value] = parts.changes.back();
        const std::string base = base_of(parts);
        const std::string option = name == "estimator" && value == "exact" ? "samples" : name;
        auto at = std::ranges::find_if(sweeps, [&](const option_sweep& s) {
          return s.dataset == dataset && s.backbone == backbone && s.base == base && s.option == option;
        });
        if (at == sweeps.end()) {
          at = sweeps.insert(at, {dataset, backbone, base, option, {}});
          if (const auto& cells = index.patched(dataset, backbone, base); !cells.empty()) {
            const std::string own = base_value(cells, option);
            at->values.push_back({own.empty() || own.size() > 8 ? "preset" : own, base});
          }
        }
        std::erase_if(at->values, [&, old = value](const option_value& v) { return v.value == old; });
        at->values.push_back({value, setting});
      }
    }
  }
  std::erase_if(sweeps, [](const option_sweep& sweep) { return sweep.values.size() < 2; });
  for (auto& sweep : sweeps) {
    std::ranges::sort(sweep.values, {}, value_order);
  }
  return sweeps;
}

experiment_figure sweep_figure(const cell_index& index, const option_sweep& sweep) {
  const auto seeds = common_seeds(index, sweep);
  if (seeds.empty()) {
    return {};
  }
  const std::string name = sweep.option == "samples" ? "samples of the corruption (L)" : sweep.option;
  experiment_figure figure{
      {pair_name(sweep.dataset, sweep.backbone) + ": " + name,
       text("GraphPatcher, ", sweep.base, ", with one option changed: gain over the backbone on test nodes, ",
            seeds.size() == 1
                ? "of the one seed that all values have."
                : text("mean over the ", seeds.size(), " seeds that all values have; the band is the 95 % interval.")),
       name, "gain, percentage points"},
      "",
      {},
      {}};
  figure.numbers = {figure.words.title, figure.words.description, {name}, {}};
  svg::line_plot plot;
  plot.text = figure.words;
  for (const auto& v : sweep.values) {
    plot.x_names.push_back(v.value);
    figure.numbers.rows.push_back({v.value, {}, false});
  }
  for (std::size_t g = 0; g < all_groups.size(); ++g) {
    const auto& look = group_looks[g];
    svg::series series{look[0], look[1], look[2], {}, {}, {}};
    for (std::size_t i = 0; i < sweep.values.size(); ++i) {
      const auto c = compare(index, sweep.dataset, sweep.backbone, sweep.values[i].setting);
      auto patched = values_of(c.patched, c.headline(all_groups[g]));
      std::erase_if(patched, [&](const auto& entry) { return std::ranges::count(seeds, entry.first) == 0; });
      const auto gain = paired(patched, values_of(c.base, c.headline(all_groups[g])));
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
