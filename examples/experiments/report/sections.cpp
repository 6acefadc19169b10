// SPDX-License-Identifier: MIT
#include "experiments/report/sections.hpp"

#include <algorithm>

#include "experiments/report/paper_tables.hpp"
#include "experiments/report/sensitivity.hpp"
#include "experiments/report/tables.hpp"
#include "graphpatcher/eval/number_text.hpp"

namespace graphpatcher {

preset_headline headline(const cell_index& index, const std::string& setting) {
  preset_headline h{setting, {}, {}, {}, {}};
  const auto pairs = compare_all(index, setting);
  const auto part_of = [&](auto&& gain_of) {
    preset_headline::part part;
    std::vector<paired_difference> gains;
    for (const auto& c : pairs) {
      if (const paired_difference gain = gain_of(c); gain.count > 0) {
        gains.push_back(gain);
        part.above += gain.low > 0 ? 1 : 0;
        part.below += gain.high < 0 ? 1 : 0;
      }
    }
    part.pairs = gains.size();
    part.gain = mean_of(gains);
    return part;
  };
  h.low = part_of([](const comparison& c) { return c.gain(c.headline()); });
  h.low_over_control = part_of([](const comparison& c) { return c.gain_over_control(c.headline()); });
  h.high = part_of([](const comparison& c) { return c.gain(c.headline(node_group::high)); });
  h.overall = part_of([](const comparison& c) { return c.gain(c.headline(node_group::overall)); });
  return h;
}

std::string headline_note(const preset_headline::part& part) {
  if (part.pairs == 1) {
    return part.above == 1 ? "clearly up" : part.below == 1 ? "clearly down" : "may be noise";
  }
  return text("clearly up on ", part.above, " of ", part.pairs, ", down on ", part.below);
}

std::string lead_text(const cell_index& index) {
  if (index.presets().empty()) {
    return "No cell of GraphPatcher is finished yet.";
  }
  const auto h = headline(index, index.presets().front());
  const auto points = [](const preset_headline::part& part) { return signed_text(part.gain.mean, 2) + " points"; };
  std::string out = text("On the third of the test nodes with the lowest degrees GraphPatcher changes accuracy by ",
                         points(h.low), " (", headline_note(h.low), "), on all test nodes by ", points(h.overall), ".");
  return h.low_over_control.pairs == 0
             ? out
             : out + " Over the best control the low third gains " + points(h.low_over_control) + " (" +
                   headline_note(h.low_over_control) + ").";
}

sheet headline_table(const cell_index& index) {
  sheet s{
      "At a glance",
      "Mean gain over all pairs of dataset and backbone, in percentage points, with its 95 % interval over seeds; up "
      "and down: pairs whose own interval leaves out zero.",
      {"GraphPatcher", "low third: over backbone", "low third: over best control", "high third: over backbone",
       "all nodes: over backbone"},
      {}};
  for (const auto& setting : index.presets()) {
    const auto h = headline(index, setting);
    sheet_row row{setting.empty() ? patcher_name() : setting, {}, false};
    for (const auto& part : {h.low, h.low_over_control, h.high, h.overall}) {
      sheet_cell cell = gain_cell(part.gain);
      cell.note += part.pairs == 0 ? "" : "\n" + headline_note(part);
      row.cells.push_back(cell);
    }
    s.rows.push_back(std::move(row));
  }
  return s;
}

namespace {

report_section gains_section(const cell_index& index) {
  report_section section{
      "gains",
      "What GraphPatcher gains",
      "An arrow on a coloured ground: the 95 % interval leaves out zero. An arrow alone may be noise.",
      {}};
  report_block all;
  all.add(headline_table(index));
  section.add(std::move(all));
  for (const auto& setting : index.presets()) {
    const bool first = setting == index.presets().front();
    report_block block{first ? "" : "GraphPatcher, " + setting, false, {}, {}};
    for (const auto& backbone : index.backbones()) {
      block.add(gain_figure(index, backbone, setting));
    }
    block.add(gain_table(index, setting));
    section.add(std::move(block));
  }
  return section;
}

report_section presets_section(const cell_index& index) {
  report_section section{
      "presets",
      "Presets and losses side by side",
      "\"paper\" trains with the loss as the paper writes it, \"released\" as the authors' program does.",
      {}};
  report_block block;
  for (const auto& backbone : index.backbones()) {
    block.add(preset_figure(index, backbone));
  }
  section.add(std::move(block));
  return section;
}

report_section paper_section(const cell_index& index) {
  report_section section{"paper", "Tables of the paper", paper_table_hint, {}};
  for (int table = 1; table <= 4; ++table) {
    for (const auto group : all_groups) {
      sheet s = paper_table(index, table, group);
      report_block block{s.title, table == 1, {}, {}};
      block.add(std::move(s));
      section.add(std::move(block));
    }
  }
  return section;
}

/// One table for each preset, the first of them open.
template <class Make>
void add_tables(report_section& section, const cell_index& index, Make make, bool open) {
  for (const auto& setting : index.presets()) {
    sheet s = make(index, setting);
    report_block block{s.title, open && setting == index.presets().front(), {}, {}};
    block.add(std::move(s));
    section.add(std::move(block));
  }
}

report_section pairs_section(const cell_index& index) {
  report_section section{"datasets",
                         "By degree, by number of patches, in training",
                         "Rest the pointer on a mark to read its value, or open the numbers below a figure.",
                         {}};
  for (const auto& dataset : index.datasets()) {
    for (const auto& backbone : index.backbones()) {
      for (const auto& setting : index.presets()) {
        const auto c = compare(index, dataset, backbone, setting);
        if (!c.cells.empty()) {
          report_block block{pair_name(dataset, backbone) + ": " + setting, section.blocks.empty(), {}, {}};
          block.add(degree_figure(c));
          block.add(patches_figure(index, c));
          block.add(training_figure(c, false));
          block.add(training_figure(c, true));
          section.add(std::move(block));
        }
      }
    }
  }
  return section;
}

report_section sensitivity_section(const cell_index& index) {
  report_section section{"sensitivity", "Sensitivity and changed settings", "", {}};
  for (const auto& sweep : option_sweeps(index)) {
    const std::string name = pair_name(sweep.dataset, sweep.backbone);
    auto at = std::ranges::find(section.blocks, name, &report_block::summary);
    if (at == section.blocks.end()) {
      at = section.blocks.insert(at, {name, section.blocks.empty(), {}, {}});
    }
    at->add(sweep_figure(index, sweep));
  }
  std::erase_if(section.blocks, [](const report_block& block) { return block.empty(); });
  report_block table;
  table.add(settings_table(index));
  section.add(std::move(table));
  return section;
}

}  // namespace

std::vector<report_section> experiment_sections(const cell_index& index) {
  std::vector<report_section> list{gains_section(index), paper_section(index)};
  list.push_back({"controls", "Controls", "", {}});
  add_tables(list.back(), index, control_table, true);
  list.push_back({"readings", "Other nodes, other ties, confidence", "", {}});
  add_tables(list.back(), index, reading_table, true);
  add_tables(list.back(), index, confidence_table, true);
  list.push_back({"doubt", "Two sources of doubt", "", {}});
  add_tables(list.back(), index, doubt_table, true);
  list.push_back({"neighbours", "Neighbours by degree group", "", {}});
  report_block neighbours;
  neighbours.add(neighbors_table(index));
  list.back().add(std::move(neighbours));
  list.push_back({"combined", "Other ways to use the patches", "", {}});
  add_tables(list.back(), index, combined_table, true);
  list.push_back(presets_section(index));
  list.push_back(pairs_section(index));
  list.push_back(sensitivity_section(index));
  list.push_back({"configuration", "Configuration", "", {}});
  report_block options;
  options.add(configuration_table(index));
  list.back().add(std::move(options));
  std::erase_if(list, [](const report_section& section) { return section.blocks.empty(); });
  return list;
}

}  // namespace graphpatcher
