// SPDX-License-Identifier: MIT
#include "experiments/report/comparison.hpp"

#include <cmath>
#include <limits>

namespace graphpatcher {

namespace {

/// Whether a method answers with 0, 1, 2, ... patches; others have one answer.
bool has_numbers(const cell_result& cell) {
  return cell.by_patches.size() > 1;
}

}  // namespace

double number_of(const both_scores& scores, const score_measure& m) {
  const node_score& s = m.nodes == node_set::test ? *scores.test : *scores.unlabelled;
  const group_score& g = m.group == node_group::low ? s.low : m.group == node_group::high ? s.high : s.overall;
  switch (m.what) {
    case score_metric::fractional:
      return m.group == node_group::low    ? s.fractional_low
             : m.group == node_group::high ? s.fractional_high
                                           : g.accuracy;
    case score_metric::log_likelihood:
      return g.log_likelihood;
    case score_metric::calibration:
      return g.calibration;
    case score_metric::roc_auc:
      return g.roc_auc;
    default:
      return g.accuracy;
  }
}

score_measure headline_measure(const std::string& dataset, node_group group) {
  return {group, is_measured_by_auc(dataset) ? score_metric::roc_auc : score_metric::accuracy};
}

seed_values values_of(const seed_scores& scores, const score_measure& m) {
  seed_values values;
  for (const auto& [seed, score] : scores) {
    if (const double value = number_of(score, m); std::isfinite(value)) {
      values[seed] = value;
    }
  }
  return values;
}

seed_scores chosen_scores(const cell_index::by_seed& cells) {
  seed_scores scores;
  for (const auto& [seed, cell] : cells) {
    scores[seed] = {&cell->after().test, &cell->after().unlabelled};
  }
  return scores;
}

seed_scores patches_scores(const cell_index::by_seed& cells, std::size_t n) {
  seed_scores scores;
  for (const auto& [seed, cell] : cells) {
    if (n < cell->by_patches.size()) {
      scores[seed] = {&cell->by_patches[n].test, &cell->by_patches[n].unlabelled};
    }
  }
  return scores;
}

seed_scores combined_scores(const cell_index::by_seed& cells, std::string_view rule) {
  seed_scores scores;
  for (const auto& [seed, cell] : cells) {
    for (const auto& row : cell->combined) {
      if (row.rule == rule) {
        scores[seed] = {&row.test, &row.unlabelled};
      }
    }
  }
  return scores;
}

seed_scores backbone_scores(const cell_index& index, const std::string& dataset, const std::string& backbone) {
  seed_scores scores = patches_scores(index.find(dataset, backbone, baseline_name()), 0);
  for (const auto& setting : index.settings()) {
    scores.merge(patches_scores(index.patched(dataset, backbone, setting), 0));
  }
  for (const auto& control : methods_of(method_role::control)) {
    if (const auto cells = index.find(dataset, backbone, control);
        !cells.empty() && (cells.begin()->second->answer || has_numbers(*cells.begin()->second))) {
      scores.merge(patches_scores(cells, 0));
    }
  }
  return scores;
}

seed_scores control_scores(const cell_index::by_seed& control, const cell_index::by_seed& patcher) {
  seed_scores scores;
  for (const auto& [seed, cell] : control) {
    if (const auto at = patcher.find(seed); at != patcher.end()) {
      const std::size_t n = at->second->answer ? cell->chosen : has_numbers(*cell) ? at->second->chosen : 0;
      if (cell->answer) {
        scores[seed] = {&cell->answer->test, &cell->answer->unlabelled};
      } else if (n < cell->by_patches.size()) {
        scores[seed] = {&cell->by_patches[n].test, &cell->by_patches[n].unlabelled};
      }
    }
  }
  return scores;
}

comparison compare(const cell_index& index, const std::string& dataset, const std::string& backbone,
                   const std::string& setting) {
  comparison c;
  c.dataset = dataset;
  c.backbone = backbone;
  c.setting = setting;
  c.cells = index.patched(dataset, backbone, setting);
  c.base = backbone_scores(index, dataset, backbone);
  c.patched = chosen_scores(c.cells);
  const auto m = c.headline();
  double highest = -std::numeric_limits<double>::infinity();
  bool fair = false;
  for (const auto& name : methods_of(method_role::control)) {
    auto scores = control_scores(index.find(dataset, backbone, name), c.cells);
    // By the gain over the backbone: the order is that of the accuracies, even where a control lacks a seed.
    if (const auto low = paired(values_of(scores, m), values_of(c.base, m)); low.count > 0) {
      c.controls.emplace_back(name, std::move(scores));
      if (low.mean > highest) {
        highest = low.mean;
        c.on_test = c.controls.size() - 1;
      }
      fair = fair || name == fair_control;
      c.best = name == fair_control ? c.controls.size() - 1 : fair ? c.best : c.on_test;
    }
  }
  return c;
}

std::vector<comparison> compare_all(const cell_index& index, const std::string& setting) {
  std::vector<comparison> list;
  for (const auto& dataset : index.datasets()) {
    for (const auto& backbone : index.backbones()) {
      if (!index.patched(dataset, backbone, setting).empty()) {
        list.push_back(compare(index, dataset, backbone, setting));
      }
    }
  }
  return list;
}

}  // namespace graphpatcher
