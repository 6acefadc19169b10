// SPDX-License-Identifier: MIT
#include "experiments/report/paper_tables.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <optional>
#include <vector>

#include "experiments/report/paper_numbers.hpp"
#include "graphpatcher/eval/number_text.hpp"

namespace graphpatcher {

std::string bare_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

namespace {

std::string find_name(const std::vector<std::string>& names, std::string_view wanted) {
  const auto at = std::ranges::find(names, bare_name(wanted), bare_name);
  return at == names.end() ? "" : *at;
}

/// The name in the cells of a method of the paper, "" if it was not run.
std::string our_method(const cell_index& index, std::string_view paper) {
  const auto at = std::ranges::find(known_methods(), paper, &method_info::paper);
  return at != known_methods().end() && std::ranges::count(index.methods(), at->name) == 1 ? std::string(at->name) : "";
}

/// The name of a paper's backbone in the cells, "" if nothing was run on it.
std::string our_backbone(const cell_index& index, std::string_view paper) {
  const auto at = std::ranges::find(index.backbones(), paper, [](const auto& name) { return paper_backbone(name); });
  return at == index.backbones().end() ? find_name(index.backbones(), paper) : *at;
}

/// A dataset's column says something of ours as soon as the backbone alone was run.
bool was_run(const cell_index& index, const std::string& dataset, const std::string& backbone) {
  return !backbone.empty() && !backbone_scores(index, dataset, backbone).empty();
}

std::string paper_note(const std::optional<paper_number>& paper, const statistics& ours) {
  if (!paper) {
    return "";
  }
  if (paper->out_of_memory()) {
    return "paper: out of memory";
  }
  return "paper " + fixed_text(paper->accuracy, 2) +
         (ours.count > 0 ? ", " + signed_text(ours.mean - paper->accuracy, 2) : std::string());
}

/// The rows of one backbone of a table: the methods of the paper, each setting
/// of GraphPatcher with what it gains, and the controls of the first setting.
class paper_block {
public:
  paper_block(const cell_index& index, int table, node_group group, std::string_view backbone,
              const std::vector<std::string>& datasets)
      : index_(index),
        table_(table),
        group_(group),
        paper_name_(backbone),
        name_(our_backbone(index, backbone)),
        datasets_(datasets) {}

  std::vector<sheet_row> rows() const {
    std::vector<sheet_row> list;
    for (const auto& row : paper_rows) {
      if (row.table != table_ || row.group != word_of(group_) || row.backbone != paper_name_) {
        continue;
      }
      if (row.method == "none") {
        list.push_back(method_row(std::string(paper_name_), "none", baseline_name()));
      } else if (row.method != "GraphPatcher") {
        list.push_back(method_row(std::string(row.method), row.method, our_method(index_, row.method)));
      }
    }
    std::vector<std::string> presets;
    std::ranges::copy_if(index_.presets(), std::back_inserter(presets), [&](const std::string& setting) {
      return std::ranges::any_of(
          datasets_, [&](const std::string& dataset) { return !index_.patched(dataset, name_, setting).empty(); });
    });
    if (presets.empty()) {
      list.push_back(method_row("GraphPatcher", "GraphPatcher", patcher_name()));
      return list;
    }
    for (const auto& setting : presets) {
      add_setting(list, setting, setting == presets.front());
    }
    return list;
  }

private:
  /// A method of the paper: ours if it was run, the paper's number in any case.
  sheet_row method_row(const std::string& head, std::string_view paper_method, const std::string& method) const {
    sheet_row row{method.empty() ? head + " (paper only)" : head, {}, false};
    for (const auto& dataset : datasets_) {
      statistics ours;
      if (!method.empty()) {
        const auto scores = method == baseline_name() ? backbone_scores(index_, dataset, name_)
                                                      : chosen_scores(index_.find(dataset, name_, method));
        ours = summarise(values_of(scores, headline_measure(dataset, group_)));
      }
      sheet_cell cell = method.empty() ? sheet_cell{} : value_cell(ours);
      cell.note = paper_note(paper(paper_method, dataset), ours);
      row.cells.push_back(cell);
    }
    return row;
  }

  void add_setting(std::vector<sheet_row>& list, const std::string& setting, bool with_controls) const {
    const std::string name = setting.empty() ? "GraphPatcher" : "GraphPatcher, " + setting;
    sheet_row ours{name, {}, true}, gain{"gain over " + std::string(paper_name_), {}, false},
        strict{"gain over the best control", {}, false}, on_test{"gain over the control best on test", {}, false};
    const bool fair = std::ranges::count(index_.methods(), fair_control) > 0;
    std::vector<sheet_row> controls;
    auto names = methods_of(method_role::control);
    std::erase_if(names, [&](const auto& control) { return !std::ranges::count(index_.methods(), control); });
    for (const auto& control : names) {
      controls.push_back({"control: " + control, {}, false});
    }
    for (const auto& dataset : datasets_) {
      const auto c = compare(index_, dataset, name_, setting);
      const auto value = summarise(values_of(c.patched, c.headline(group_)));
      ours.cells.push_back(value_cell(value));
      ours.cells.back().note = paper_note(paper("GraphPatcher", dataset), value);
      gain.cells.push_back(gain_cell(c.gain(c.headline(group_))));
      const auto theirs = paper("GraphPatcher", dataset), base = paper("none", dataset);
      if (theirs && base) {
        auto& note = gain.cells.back().note;
        note += (note.empty() ? "" : "\n") + ("paper " + signed_text(theirs->accuracy - base->accuracy, 2));
      }
      strict.cells.push_back(gain_cell(c.gain_over_control(c.headline(group_))));
      if (!c.controls.empty()) {
        strict.cells.back().note += ", " + c.best_control();
      }
      on_test.cells.push_back(gain_cell(c.gain_over_control_on_test(c.headline(group_))));
      if (!c.controls.empty()) {
        on_test.cells.back().note += ", " + c.best_control_on_test();
      }
      for (std::size_t k = 0; k < controls.size(); ++k) {
        const auto at = std::ranges::find(c.controls, names[k], [](const auto& entry) { return entry.first; });
        controls[k].cells.push_back(
            value_cell(at == c.controls.end() ? statistics{} : summarise(values_of(at->second, c.headline(group_)))));
      }
    }
    if (with_controls) {
      list.insert(list.end(), controls.begin(), controls.end());
    }
    list.push_back(ours);
    list.push_back(gain);
    list.push_back(strict);
    if (fair) {
      list.push_back(on_test);
    }
  }

  std::optional<paper_number> paper(std::string_view method, const std::string& dataset) const {
    return paper_value(table_, word_of(group_), paper_name_, method, dataset);
  }

  const cell_index& index_;
  int table_;
  node_group group_;
  std::string_view paper_name_;
  std::string name_;  ///< of the backbone in the cells
  const std::vector<std::string>& datasets_;
};

}  // namespace

sheet paper_table(const cell_index& index, int table, node_group group) {
  std::vector<std::string_view> backbones;
  std::vector<std::string> datasets;
  const auto add = [](auto& list, const auto& name) {
    if (std::ranges::find(list, name) == list.end()) {
      list.emplace_back(name);
    }
  };
  for (const auto& row : paper_rows) {
    for (const auto name : paper_datasets) {
      const std::string dataset(name);
      if (row.table == table && row.group == word_of(group) && row.method == "none" &&
          paper_value(table, row.group, row.backbone, "none", dataset) &&
          was_run(index, dataset, our_backbone(index, row.backbone))) {
        add(backbones, row.backbone);
        add(datasets, dataset);
      }
    }
  }
  if (backbones.empty()) {
    return {};
  }
  std::ranges::sort(datasets, {}, [](const std::string& name) { return std::ranges::find(paper_datasets, name); });
  const std::string_view nodes = group == node_group::low    ? "lower third of the test nodes by degree"
                                 : group == node_group::high ? "upper third of the test nodes by degree"
                                                             : "all test nodes";
  sheet s{text("Table ", table, ": ", nodes), "", {"method"}, {}};
  s.columns.insert(s.columns.end(), datasets.begin(), datasets.end());
  for (const auto backbone : backbones) {
    if (backbones.size() > 1) {
      s.rows.push_back({std::string(backbone), {}, false});
    }
    const auto rows = paper_block(index, table, group, backbone, datasets).rows();
    s.rows.insert(s.rows.end(), rows.begin(), rows.end());
  }
  return s;
}

}  // namespace graphpatcher
