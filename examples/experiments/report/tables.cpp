// SPDX-License-Identifier: MIT
#include "experiments/report/tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "experiments/report/node_doubt.hpp"
#include "experiments/report/paper_numbers.hpp"

namespace graphpatcher {

std::string pair_name(const std::string& dataset, const std::string& backbone) {
  return dataset + ", " + std::string(paper_backbone(backbone));
}

std::string chosen_text(const cell_index::by_seed& cells) {
  const auto accepted = std::ranges::count_if(
      cells, [](const auto& entry) { return entry.second->decision && entry.second->decision->accepted; });
  if (!cells.empty() && cells.begin()->second->answer) {
    return cells.begin()->second->decision ? text("weighted in ", accepted) : "-";
  }
  std::size_t least = 0, most = 0;
  for (const auto& [seed, cell] : cells) {
    least = &cell == &cells.begin()->second ? cell->chosen : std::min(least, cell->chosen);
    most = std::max(most, cell->chosen);
  }
  return least == most ? std::to_string(most) : text(least, "-", most);
}

namespace {

/// Whether the fairest of controls was run, so that the control best on test stands beside it.
bool has_fair_control(const cell_index& index) {
  return std::ranges::count(index.methods(), fair_control) > 0;
}

/// "[+0.20, +1.40], copy".
sheet_cell control_cell(const paired_difference& gain, const std::string& control) {
  auto cell = gain_cell(gain);
  cell.note += control.empty() ? "" : ", " + control;
  return cell;
}

}  // namespace

sheet gain_table(const cell_index& index, const std::string& setting) {
  const bool fair = has_fair_control(index);
  sheet s{"Gains of GraphPatcher, " + setting,
          std::string("Test nodes; differences in percentage points, paired by seed, with their 95 % interval.") +
              (fair ? " The best control is the same rule with answers that need no training; beside it the control "
                      "that does best on the test nodes, found with their labels."
                    : ""),
          {"dataset, backbone", "seeds", "patches", "low third", "gain over backbone", "gain over best control"},
          {}};
  if (fair) {
    s.columns.emplace_back("gain over the control best on test");
  }
  s.columns.insert(s.columns.end(), {"high third: gain", "all nodes: gain"});
  for (const auto& c : compare_all(index, setting)) {
    sheet_row row{pair_name(c.dataset, c.backbone),
                  {{std::to_string(c.cells.size())},
                   {chosen_text(c.cells)},
                   value_cell(summarise(values_of(c.patched, c.headline()))),
                   gain_cell(c.gain(c.headline())),
                   control_cell(c.gain_over_control(c.headline()), c.best_control())},
                  false};
    if (fair) {
      row.cells.push_back(control_cell(c.gain_over_control_on_test(c.headline()), c.best_control_on_test()));
    }
    row.cells.push_back(gain_cell(c.gain(c.headline(node_group::high))));
    row.cells.push_back(gain_cell(c.gain(c.headline(node_group::overall))));
    s.rows.push_back(std::move(row));
  }
  return s;
}

sheet control_table(const cell_index& index, const std::string& setting) {
  sheet s{
      "Controls beside GraphPatcher, " + setting,
      "Patches that nobody trained: zero features, the mean of all features, a copy of the anchor's, the generator "
      "before training. Each control has as many patches as GraphPatcher chose for that seed; beside the rule, which "
      "chooses no number, as many as it chose on validation nodes itself. Controls and rivals with one answer have "
      "that. Gains are over the backbone.",
      {"dataset, backbone", "low third", "high third", "all nodes"},
      {}};
  for (const auto& c : compare_all(index, setting)) {
    const auto add = [&](const std::string& head, const seed_scores& scores, bool gains, bool strong) {
      sheet_row row{head, {}, strong};
      for (const auto group : all_groups) {
        const auto values = values_of(scores, c.headline(group));
        row.cells.push_back(value_cell(summarise(values)));
        if (gains && !values.empty()) {
          row.cells.back() = gain_cell(paired(values, values_of(c.base, c.headline(group))), row.cells.back());
        }
      }
      s.rows.push_back(std::move(row));
    };
    s.rows.push_back({pair_name(c.dataset, c.backbone), {}, false});
    add(std::string(paper_backbone(c.backbone)) + " alone", c.base, false, false);
    for (const auto& name : index.methods()) {
      const auto role = info_of(name).role;
      if (role == method_role::control) {
        const auto at = std::ranges::find(c.controls, name, [](const auto& entry) { return entry.first; });
        const bool there = at != c.controls.end();
        const bool best = there && name == c.best_control();
        const bool on_test = there && name == c.best_control_on_test() && name != c.best_control();
        add(name + (best      ? " (best control)"
                    : on_test ? " (best on test)"
                              : ""),
            there ? at->second : seed_scores{}, true, false);
      }
    }
    for (const auto& name : index.methods()) {
      const auto role = info_of(name).role;
      if (role == method_role::rival || role == method_role::rule) {
        add(name, chosen_scores(index.find(c.dataset, c.backbone, name)), true, false);
      }
    }
    add("GraphPatcher", c.patched, true, true);
  }
  return s;
}

sheet reading_table(const cell_index& index, const std::string& setting) {
  sheet s{"The same gains read differently, " + setting,
          "Gain over the backbone on the test nodes, on all nodes outside of training and validation (unlabelled), and "
          "with nodes of the degree at the cut counted in fractions instead of by node id.",
          {"dataset, backbone", "low: test", "low: fractional", "low: unlabelled", "low: unlabelled, fractional",
           "high: test", "high: fractional", "high: unlabelled", "high: unlabelled, fractional", "all: test",
           "all: unlabelled"},
          {}};
  for (const auto& c : compare_all(index, setting)) {
    sheet_row row{pair_name(c.dataset, c.backbone), {}, false};
    for (const auto group : all_groups) {
      for (const auto nodes : {node_set::test, node_set::unlabelled}) {
        for (const auto what : {score_metric::accuracy, score_metric::fractional}) {
          if (group != node_group::overall || what == score_metric::accuracy) {
            const score_measure m{group, what, nodes};
            row.cells.push_back(gain_cell(c.gain(m), value_cell(summarise(values_of(c.patched, m)))));
          }
        }
      }
    }
    s.rows.push_back(std::move(row));
  }
  return s;
}

sheet confidence_table(const cell_index& index, const std::string& setting) {
  sheet s{
      "Log-likelihood and calibration, " + setting,
      "Test nodes. Log-likelihood: mean log p(label), higher is better. Calibration: expected calibration error (ECE) "
      "in percent, lower is better: nodes are put into ten bins of equal width by their largest probability, and ECE "
      "is the sum over bins of the share of nodes in it times |accuracy - mean probability|. Each: with the backbone "
      "alone, then with patches and the change.",
      {"dataset, backbone", "low: log-lik.", "with patches", "high: log-lik.", "with patches", "all: log-lik.",
       "with patches", "low: ECE", "with patches", "high: ECE", "with patches", "all: ECE", "with patches"},
      {}};
  for (const auto& c : compare_all(index, setting)) {
    sheet_row row{pair_name(c.dataset, c.backbone), {}, false};
    for (const auto what : {score_metric::log_likelihood, score_metric::calibration}) {
      const int digits = what == score_metric::calibration ? 2 : 3;
      for (const auto group : all_groups) {
        const score_measure m{group, what};
        row.cells.push_back(value_cell(summarise(values_of(c.base, m)), digits, "n/a"));
        row.cells.push_back(gain_cell(c.gain(m), value_cell(summarise(values_of(c.patched, m)), digits, "n/a"),
                                      what == score_metric::calibration));
      }
    }
    s.rows.push_back(std::move(row));
  }
  return s;
}

sheet neighbors_table(const cell_index& index) {
  sheet s{
      "Neighbours by degree group",
      "Test nodes that have a neighbour, means over nodes and seeds. Homophily: share of neighbours of the node's own "
      "class. Diversity: entropy of the neighbours' classes over its largest value, log(classes); 0: all of one "
      "class, as are those of a node with one neighbour.",
      {"dataset", "low: homophily", "high: homophily", "all: homophily", "low: diversity", "high: diversity",
       "all: diversity"},
      {}};
  for (const auto& dataset : index.datasets()) {
    std::map<std::uint64_t, const cell_result*> cells;  // any of a seed: all have the same nodes
    for (const auto& [key, found] : index.all()) {
      for (const auto& [seed, cell] : found) {
        if (key[0] == dataset && std::isfinite(cell->neighbors.low.homophily)) {
          cells.emplace(seed, cell);
        }
      }
    }
    sheet_row row{dataset, {}, false};
    for (const auto number : {&neighbor_labels::homophily, &neighbor_labels::diversity}) {
      for (const auto group : {&neighbor_score::low, &neighbor_score::high, &neighbor_score::overall}) {
        seed_values values;
        for (const auto& [seed, cell] : cells) {
          if (const double value = cell->neighbors.*group.*number; std::isfinite(value)) {
            values[seed] = value;
          }
        }
        row.cells.push_back(value_cell(summarise(values), 3, "n/a"));
      }
    }
    if (std::ranges::any_of(row.cells, [](const sheet_cell& cell) { return cell.value != "n/a"; })) {
      s.rows.push_back(std::move(row));
    }
  }
  return s;
}

sheet doubt_table(const cell_index& index, const std::string& setting) {
  sheet s{"Two sources of doubt, " + setting,
          "The gain in accuracy over the backbone with two 95 % intervals that stand apart: over seeds (Student's t, "
          "paired; how the networks began, and the split where each seed has its own), and over which nodes are tested "
          "(bootstrap over test nodes, each drawn with its results of all seeds).",
          {"dataset, backbone", "low: seeds", "low: nodes", "high: seeds", "high: nodes", "all: seeds", "all: nodes"},
          {}};
  for (const auto& c : compare_all(index, setting)) {
    sheet_row row{pair_name(c.dataset, c.backbone), {}, false};
    bool known = false;
    for (const auto group : all_groups) {
      const auto nodes = doubt_of_nodes(c.cells, group);
      known = known || nodes.nodes > 0;
      row.cells.push_back(gain_cell(c.gain({group})));
      row.cells.push_back(gain_cell({nodes.mean, nodes.low, nodes.high, nodes.nodes}));
    }
    if (known) {
      s.rows.push_back(std::move(row));
    }
  }
  return s;
}

sheet combined_table(const cell_index& index, const std::string& setting) {
  sheet s{"Other ways to use the patches, " + setting,
          "Test nodes; the patches are those of GraphPatcher, only the rule that makes one prediction of them differs. "
          "Gains are over the backbone; \"chosen number\" is GraphPatcher as it stands in the tables above.",
          {"dataset, backbone, rule", "low third", "high third", "all nodes", "low: gain over the chosen number"},
          {}};
  for (const auto& c : compare_all(index, setting)) {
    std::vector<std::string> rules;
    for (const auto& [seed, cell] : c.cells) {
      for (const auto& row : cell->combined) {
        if (std::ranges::find(rules, row.rule) == rules.end()) {
          rules.push_back(row.rule);
        }
      }
    }
    if (rules.empty()) {
      continue;
    }
    const auto add = [&](const std::string& head, const seed_scores& scores, bool strong) {
      sheet_row row{head, {}, strong};
      for (const auto group : all_groups) {
        const auto values = values_of(scores, c.headline(group));
        row.cells.push_back(
            gain_cell(paired(values, values_of(c.base, c.headline(group))), value_cell(summarise(values))));
      }
      row.cells.push_back(strong
                              ? sheet_cell{}
                              : gain_cell(paired(values_of(scores, c.headline()), values_of(c.patched, c.headline()))));
      s.rows.push_back(std::move(row));
    };
    s.rows.push_back({pair_name(c.dataset, c.backbone), {}, false});
    add("chosen number", c.patched, true);
    for (const auto& rule : rules) {
      add(rule, combined_scores(c.cells, rule), false);
    }
  }
  return s;
}

sheet settings_table(const cell_index& index) {
  sheet s{
      "Changed settings",
      "Test nodes; gains over the backbone, and in the last column over the preset without the change, all paired by "
      "seed.",
      {"setting", "seeds", "patches", "low third", "high third", "all nodes", "low: gain over the preset"},
      {}};
  for (const auto& dataset : index.datasets()) {
    for (const auto& backbone : index.backbones()) {
      bool first = true;
      for (const auto& setting : index.settings()) {
        const auto parts = split_setting(setting);
        if (parts.changes.empty() || index.patched(dataset, backbone, setting).empty()) {
          continue;
        }
        if (std::exchange(first, false)) {
          s.rows.push_back({pair_name(dataset, backbone), {}, false});
        }
        const auto c = compare(index, dataset, backbone, setting);
        sheet_row row{setting, {{std::to_string(c.cells.size())}, {chosen_text(c.cells)}}, false};
        for (const auto group : all_groups) {
          row.cells.push_back(
              gain_cell(c.gain(c.headline(group)), value_cell(summarise(values_of(c.patched, c.headline(group))))));
        }
        const auto preset = chosen_scores(index.patched(dataset, backbone, parts.preset));
        row.cells.push_back(gain_cell(paired(values_of(c.patched, c.headline()), values_of(preset, c.headline()))));
        s.rows.push_back(std::move(row));
      }
    }
  }
  return s;
}

sheet configuration_table(const cell_index& index) {
  sheet s{"Configuration", "Several values: they differ by dataset or backbone.", {"option"}, {}};
  std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>> options;  // name, values by preset
  for (std::size_t p = 0; p < index.presets().size(); ++p) {
    s.columns.push_back(index.presets()[p].empty() ? patcher_name() : index.presets()[p]);
    for (const auto& c : compare_all(index, index.presets()[p])) {
      for (const auto& [name, value] : c.cells.begin()->second->settings.entries()) {
        auto at = std::ranges::find(options, name, [](const auto& entry) { return entry.first; });
        if (at == options.end()) {
          at = options.insert(at, {name, std::vector<std::vector<std::string>>(index.presets().size())});
        }
        if (std::ranges::find(at->second[p], setting_text(value)) == at->second[p].end()) {
          at->second[p].push_back(setting_text(value));
        }
      }
    }
  }
  for (const auto& [name, columns] : options) {
    sheet_row row{name, {}, false};
    for (const auto& values : columns) {
      std::string all;
      for (const auto& value : values) {
        all += (all.empty() ? "" : " / ") + value;
      }
      row.cells.push_back({all});
    }
    s.rows.push_back(std::move(row));
  }
  return s;
}

}  // namespace graphpatcher
