// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/cell_index.hpp"
#include "experiments/paired.hpp"

/// GraphPatcher beside its backbone and its controls, seed by seed.
namespace graphpatcher {

enum class node_set { test, unlabelled };
enum class node_group { low, high, overall };
enum class score_metric { accuracy, fractional, log_likelihood, calibration };

inline constexpr std::array<node_group, 3> all_groups{node_group::low, node_group::high, node_group::overall};
inline constexpr std::array<score_metric, 4> all_metrics{score_metric::accuracy, score_metric::fractional,
                                                         score_metric::log_likelihood, score_metric::calibration};

constexpr std::string_view word_of(node_set nodes) {
  return nodes == node_set::test ? "test" : "unlabelled";
}
constexpr std::string_view word_of(node_group group) {
  return group == node_group::low ? "low" : group == node_group::high ? "high" : "overall";
}
constexpr std::string_view word_of(score_metric what) {
  constexpr std::array<std::string_view, 4> words{"accuracy", "accuracy, fractional ties", "log-likelihood",
                                                  "calibration error"};
  return words[static_cast<std::size_t>(what)];
}

/// Which number of a cell: of which nodes, and which one.
struct score_measure {
  node_group group = node_group::low;
  score_metric what = score_metric::accuracy;
  node_set nodes = node_set::test;
};

/// Scores of one seed on both sets of nodes.
struct both_scores {
  const node_score* test = nullptr;
  const node_score* unlabelled = nullptr;
};
using seed_scores = std::map<std::uint64_t, both_scores>;

/// One number; that with fractional ties is the plain accuracy for all nodes, which have no cut.
inline double number_of(const both_scores& scores, const score_measure& m) {
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
    default:
      return g.accuracy;
  }
}

/// The number of every seed; seeds where it is not defined are left out.
inline seed_values values_of(const seed_scores& scores, const score_measure& m) {
  seed_values values;
  for (const auto& [seed, score] : scores) {
    if (const double value = number_of(score, m); std::isfinite(value)) {
      values[seed] = value;
    }
  }
  return values;
}

/// Scores with what every cell chose.
inline seed_scores chosen_scores(const cell_index::by_seed& cells) {
  seed_scores scores;
  for (const auto& [seed, cell] : cells) {
    scores[seed] = {&cell->after().test, &cell->after().unlabelled};
  }
  return scores;
}

/// Scores with n patches; cells that did not try as many are left out.
inline seed_scores patches_scores(const cell_index::by_seed& cells, std::size_t n) {
  seed_scores scores;
  for (const auto& [seed, cell] : cells) {
    if (n < cell->by_patches.size()) {
      scores[seed] = {&cell->by_patches[n].test, &cell->by_patches[n].unlabelled};
    }
  }
  return scores;
}

/// Scores of another rule to use the patches.
inline seed_scores combined_scores(const cell_index::by_seed& cells, std::string_view rule) {
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

/// The backbone alone: the cells of method "none"; for seeds without one, 0 patches of GraphPatcher or a control.
inline seed_scores backbone_scores(const cell_index& index, const std::string& dataset, const std::string& backbone) {
  seed_scores scores = patches_scores(index.find(dataset, backbone, "none"), 0);
  for (const auto& setting : index.settings()) {
    scores.merge(patches_scores(index.find(dataset, backbone, "graphpatcher", setting), 0));
  }
  for (const auto control : control_methods) {
    scores.merge(patches_scores(index.find(dataset, backbone, std::string(control)), 0));
  }
  return scores;
}

/// A control with as many patches as GraphPatcher chose for the same seed.
inline seed_scores control_scores(const cell_index::by_seed& control, const cell_index::by_seed& patcher) {
  seed_scores scores;
  for (const auto& [seed, cell] : control) {
    if (const auto at = patcher.find(seed); at != patcher.end()) {
      if (const std::size_t n = at->second->chosen; n < cell->by_patches.size()) {
        scores[seed] = {&cell->by_patches[n].test, &cell->by_patches[n].unlabelled};
      }
    }
  }
  return scores;
}

/// One setting of GraphPatcher on one dataset and backbone.
struct comparison {
  std::string dataset, backbone, setting;
  cell_index::by_seed cells;  ///< of GraphPatcher; empty if it was not run
  seed_scores base;           ///< the backbone alone
  seed_scores patched;
  std::vector<std::pair<std::string, seed_scores>> controls;  ///< those that were run
  std::size_t best = 0;  ///< control with the highest mean accuracy on the low third of the test nodes

  paired_difference gain(const score_measure& m) const { return paired(values_of(patched, m), values_of(base, m)); }
  paired_difference gain_over_control(const score_measure& m) const {
    return controls.empty() ? paired_difference{} : paired(values_of(patched, m), values_of(controls[best].second, m));
  }
  std::string best_control() const { return controls.empty() ? "" : controls[best].first; }
};

inline comparison compare(const cell_index& index, const std::string& dataset, const std::string& backbone,
                          const std::string& setting) {
  comparison c{dataset, backbone, setting, index.find(dataset, backbone, "graphpatcher", setting), {}, {}, {}, 0};
  c.base = backbone_scores(index, dataset, backbone);
  c.patched = chosen_scores(c.cells);
  double highest = -std::numeric_limits<double>::infinity();
  for (const auto name : control_methods) {
    auto scores = control_scores(index.find(dataset, backbone, std::string(name)), c.cells);
    // By the gain over the backbone: the order is that of the accuracies, even where a control lacks a seed.
    if (const auto low = paired(values_of(scores, {}), values_of(c.base, {})); low.count > 0) {
      c.controls.emplace_back(std::string(name), std::move(scores));
      if (low.mean > highest) {
        highest = low.mean;
        c.best = c.controls.size() - 1;
      }
    }
  }
  return c;
}

/// Every dataset and backbone that this setting was run on.
inline std::vector<comparison> compare_all(const cell_index& index, const std::string& setting) {
  std::vector<comparison> list;
  for (const auto& dataset : index.datasets()) {
    for (const auto& backbone : index.backbones()) {
      if (!index.find(dataset, backbone, "graphpatcher", setting).empty()) {
        list.push_back(compare(index, dataset, backbone, setting));
      }
    }
  }
  return list;
}

}  // namespace graphpatcher
