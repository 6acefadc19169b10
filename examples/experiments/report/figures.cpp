// SPDX-License-Identifier: MIT
#include "experiments/report/figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "experiments/report/paper_numbers.hpp"
#include "experiments/report/tables.hpp"
#include "graphpatcher/eval/number_text.hpp"

namespace graphpatcher {

svg::interval_mark gain_mark(const std::string& where, const paired_difference& gain) {
  const std::string hover = where + ": " + signed_text(gain.mean, 2) + " " + interval_text(gain);
  return gain.count > 2 ? svg::interval_mark{gain.mean, gain.low, gain.high, hover}
                        : svg::interval_mark{.value = gain.mean, .hover = hover};
}

namespace {

/// Marks of several methods over the datasets of one backbone; `rows` fills them.
template <class Gain>
experiment_figure interval_figure(svg::plot_text words, const std::vector<std::string>& datasets,
                                  const std::vector<detail::legend_entry>& legend, Gain gain) {
  experiment_figure figure{std::move(words), "", legend, {}};
  svg::interval_plot plot{figure.words, datasets, {}};
  figure.numbers = {figure.words.title, figure.words.description, {"dataset"}, {}};
  for (const auto& dataset : datasets) {
    figure.numbers.rows.push_back({dataset, {}, false});
  }
  for (std::size_t s = 0; s < legend.size(); ++s) {
    plot.series.push_back({legend[s].color, legend[s].shape, {}});
    figure.numbers.columns.push_back(legend[s].name);
    for (std::size_t d = 0; d < datasets.size(); ++d) {
      const paired_difference value = gain(s, datasets[d]);
      plot.series.back().marks.push_back(gain_mark(datasets[d] + ", " + legend[s].name, value));
      figure.numbers.rows[d].cells.push_back(gain_cell(value));
    }
  }
  figure.drawing = svg::draw(plot);
  return figure;
}

/// Whether GraphPatcher was run.
bool was_run(const cell_index& index, const std::string& dataset, const std::string& backbone,
             const std::string& setting) {
  return !index.patched(dataset, backbone, setting).empty();
}

/// The datasets that have any of `settings`.
std::vector<std::string> datasets_run(const cell_index& index, const std::string& backbone,
                                      const std::vector<std::string>& settings) {
  std::vector<std::string> list;
  std::ranges::copy_if(index.datasets(), std::back_inserter(list), [&](const std::string& dataset) {
    return std::ranges::any_of(settings,
                               [&](const std::string& setting) { return was_run(index, dataset, backbone, setting); });
  });
  return list;
}

/// The presets that any dataset has.
std::vector<std::string> presets_run(const cell_index& index, const std::string& backbone) {
  std::vector<std::string> list;
  std::ranges::copy_if(index.presets(), std::back_inserter(list),
                       [&](const std::string& setting) { return !datasets_run(index, backbone, {setting}).empty(); });
  return list;
}

}  // namespace

experiment_figure gain_figure(const cell_index& index, const std::string& backbone, const std::string& setting) {
  const auto datasets = datasets_run(index, backbone, {setting});
  if (datasets.empty()) {
    return {};
  }
  std::vector<detail::legend_entry> legend{{"over the backbone", "low", "circle"},
                                           {"over the best control", "high", "square"}};
  if (std::ranges::count(index.methods(), fair_control) > 0) {
    legend.push_back({"over the control best on test", "all", "diamond"});
  }
  return interval_figure({std::string(paper_backbone(backbone)) + ": gain on the low third",
                          "GraphPatcher, " + setting +
                              ": mean gain over seeds, paired, with its 95 % interval if there are three or more.",
                          "", "percentage points"},
                         datasets, legend, [&](std::size_t s, const std::string& dataset) {
                           const auto c = compare(index, dataset, backbone, setting);
                           return s == 0   ? c.gain(c.headline())
                                  : s == 1 ? c.gain_over_control(c.headline())
                                           : c.gain_over_control_on_test(c.headline());
                         });
}

experiment_figure preset_figure(const cell_index& index, const std::string& backbone) {
  const auto presets = presets_run(index, backbone);
  if (presets.size() < 2) {
    return {};
  }
  std::vector<detail::legend_entry> legend;
  for (const auto& setting : presets) {
    const auto& [color, shape] = method_looks[legend.size() % method_looks.size()];
    legend.push_back({setting, color, shape});
  }
  return interval_figure(
      {std::string(paper_backbone(backbone)) + ": presets side by side",
       "Gain on the low third over the backbone, paired by seed, with its 95 % interval if there are three or more.",
       "", "percentage points"},
      datasets_run(index, backbone, presets), legend, [&](std::size_t s, const std::string& dataset) {
        const auto c = compare(index, dataset, backbone, presets[s]);
        return c.gain(c.headline());
      });
}

experiment_figure degree_figure(const comparison& c) {
  struct bin {
    std::string degrees;
    std::vector<double> nodes;
    std::array<seed_values, 6> scores;  // accuracy, log-likelihood, calibration: before, after
  };
  std::vector<bin> bins;
  for (const auto& [seed, cell] : c.cells) {
    for (const auto& row : cell->by_degree) {
      auto at = std::ranges::find(bins, row.degrees, &bin::degrees);
      at = at == bins.end() ? bins.insert(at, {row.degrees, {}, {}}) : at;
      at->nodes.push_back(static_cast<double>(row.nodes));
      const std::array<double, 6> values{row.before.accuracy,      row.after.accuracy,     row.before.log_likelihood,
                                         row.after.log_likelihood, row.before.calibration, row.after.calibration};
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) {
          at->scores[i][seed] = values[i];
        }
      }
    }
  }
  if (bins.empty()) {
    return {};
  }
  experiment_figure figure{
      {"Accuracy by degree",
       c.cells.begin()->second->decision
           ? "Nodes outside of training and validation with the backbone alone and with all answers weighed, mean over "
             "seeds; n is the number of nodes."
           : "Nodes outside of training and validation with the backbone alone and with the chosen number "
             "of patches, mean over seeds; n is the number of nodes.",
       "degree (number of neighbours)", "accuracy, %"},
      "",
      detail::dot_legend(),
      {}};
  figure.numbers = {
      figure.words.title,
      "",
      {"degree", "nodes", "accuracy", "with patches", "log-likelihood", "with patches", "ECE", "with patches"},
      {}};
  svg::dot_plot plot{figure.words, {}};
  for (const auto& b : bins) {
    const auto mean = [&](std::size_t i) { return summarise(b.scores[i]).mean; };
    const std::string nodes = fixed_text(summarise(b.nodes).mean, 0);
    sheet_row row{b.degrees, {{nodes}}, false};
    for (std::size_t i = 0; i < 6; i += 2) {
      const int digits = i == 2 ? 3 : 2;
      row.cells.push_back({fixed_text(mean(i), digits)});
      row.cells.push_back(gain_cell(paired(b.scores[i + 1], b.scores[i]), {fixed_text(mean(i + 1), digits)},
                                    /*lower_is_better=*/i == 4));
    }
    figure.numbers.rows.push_back(std::move(row));
    plot.pairs.push_back({b.degrees, bins.size() > 8 ? "" : "n " + nodes,
                          "degree " + b.degrees + ", " + nodes + " nodes: " + fixed_text(mean(0), 2) + " % before, " +
                              fixed_text(mean(1), 2) + " % after (" + signed_text(mean(1) - mean(0), 2) + ")",
                          mean(0), mean(1), paired(b.scores[1], b.scores[0]).sure()});
  }
  figure.drawing = svg::draw(plot);
  return figure;
}

namespace {

/// Of the controls that patch, the one with the highest mean on the low third of the test nodes.
std::string numbered_control(const cell_index& index, const comparison& c) {
  std::string best;
  double highest = 0;
  for (const auto& [name, scores] : c.controls) {
    const double gain = paired(values_of(scores, c.headline()), values_of(c.base, c.headline())).mean;
    const bool patches = index.find(c.dataset, c.backbone, name).begin()->second->by_patches.size() > 1;
    if (patches && (best.empty() || gain > highest)) {
      best = name;
      highest = gain;
    }
  }
  return best;
}

}  // namespace

experiment_figure patches_figure(const cell_index& index, const comparison& c) {
  std::size_t most = 0;
  for (const auto& [seed, cell] : c.cells) {
    most = std::max(most, cell->by_patches.size());
  }
  if (most < 2) {
    return {};
  }
  experiment_figure figure{
      {"Accuracy by number of patches",
       "Test nodes, mean over seeds; the band is one standard deviation either way. Below the axis: "
       "seeds that chose this number on validation.",
       "patches", "accuracy, %"},
      "",
      {},
      {}};
  figure.numbers = {figure.words.title, "", {"patches", "chosen by"}, {}};
  svg::line_plot plot;
  plot.text = figure.words;
  plot.unit = " %";
  plot.y_floor = 0;
  plot.y_ceiling = 100;
  for (std::size_t n = 0; n < most; ++n) {
    const auto chosen = std::ranges::count_if(c.cells, [&](const auto& entry) { return entry.second->chosen == n; });
    figure.numbers.rows.push_back({std::to_string(n), {{std::to_string(chosen)}}, false});
    plot.x_names.push_back(std::to_string(n));
    if (chosen > 0) {
      plot.x_notes.emplace_back(static_cast<double>(n), text(chosen, "/", c.cells.size()));
    }
  }
  const auto line = [&](const std::string& name, const char* color, const char* shape, const cell_index::by_seed& cells,
                        node_group group, bool band) {
    svg::series series{name, color, shape, {}, {}, {}};
    for (std::size_t n = 0; n < most; ++n) {
      const auto value = summarise(values_of(patches_scores(cells, n), c.headline(group)));
      figure.numbers.rows[n].cells.push_back(value_cell(value, 2, "n/a"));
      series.x.push_back(static_cast<double>(n));
      series.y.push_back(value.mean);
      if (band && c.cells.size() > 1) {
        series.spread.push_back(value.deviation);
      }
    }
    figure.numbers.columns.push_back(name);
    figure.legend.push_back({name, color, shape});
    plot.lines.push_back(std::move(series));
  };
  for (std::size_t g = 0; g < all_groups.size(); ++g) {
    const auto& look = group_looks[g];
    line(look[0], look[1], look[2], c.cells, all_groups[g], true);
  }
  if (const auto control = numbered_control(index, c); !control.empty()) {
    line("low third, control: " + control, "before", "circle", index.find(c.dataset, c.backbone, control),
         node_group::low, false);
  }
  figure.drawing = svg::draw(plot);
  return figure;
}

experiment_figure training_figure(const comparison& c, bool validation) {
  experiment_figure figure{validation ? svg::plot_text{"Training: validation accuracy",
                                                       "With patches; one line a seed.", "iteration", "accuracy, %"}
                                      : svg::plot_text{"Training: loss", "One line a seed.", "iteration", "loss"},
                           "",
                           {},
                           {}};
  figure.numbers = {figure.words.title, "", {"seed", "first", "last", "iterations"}, {}};
  svg::line_plot plot;
  plot.text = figure.words;
  plot.unit = validation ? " %" : "";
  plot.hover_points = 8;  // a page has hundreds of these curves: each stays small
  plot.curve_points = 80;
  for (const auto& [seed, cell] : c.cells) {
    svg::series series{"seed " + std::to_string(seed), validation ? "high" : "all", "", {}, {}, {}};
    for (const auto& point : cell->curve) {
      if (const double value = validation ? point.validation : point.loss; std::isfinite(value)) {
        series.x.push_back(static_cast<double>(point.iteration));
        series.y.push_back(value);
      }
    }
    if (!series.x.empty()) {
      figure.numbers.rows.push_back(
          {std::to_string(seed),
           {{fixed_text(series.y.front(), 3)}, {fixed_text(series.y.back(), 3)}, {std::to_string(cell->iterations)}},
           false});
      plot.lines.push_back(std::move(series));
    }
  }
  figure.drawing = plot.lines.empty() ? "" : svg::draw(plot);
  return figure;
}

}  // namespace graphpatcher
