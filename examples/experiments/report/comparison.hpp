// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/report/cell_index.hpp"
#include "experiments/report/paired.hpp"

/// GraphPatcher beside its backbone and its controls, seed by seed.
namespace graphpatcher {

enum class node_set { test, unlabelled };
enum class node_group { low, high, overall };
enum class score_metric { accuracy, fractional, log_likelihood, calibration, roc_auc };

inline constexpr std::array<node_group, 3> all_groups{node_group::low, node_group::high, node_group::overall};
inline constexpr std::array<score_metric, 5> all_metrics{score_metric::accuracy, score_metric::fractional,
                                                         score_metric::log_likelihood, score_metric::calibration,
                                                         score_metric::roc_auc};

constexpr std::string_view word_of(node_set nodes) {
  return nodes == node_set::test ? "test" : "unlabelled";
}
constexpr std::string_view word_of(node_group group) {
  return group == node_group::low ? "low" : group == node_group::high ? "high" : "overall";
}
constexpr std::string_view word_of(score_metric what) {
  constexpr std::array<std::string_view, 5> words{"accuracy", "accuracy, fractional ties", "log-likelihood",
                                                  "calibration error", "ROC-AUC"};
  return words[static_cast<std::size_t>(what)];
}

/// Which number of a cell: of which nodes, and which one.
struct score_measure {
  node_group group = node_group::low;
  score_metric what = score_metric::accuracy;
  node_set nodes = node_set::test;
};

/// What stands in the tables of a dataset: ROC-AUC in the place of accuracy where its authors measure by it.
score_measure headline_measure(const std::string& dataset, node_group group = node_group::low);

/// Scores of one seed on both sets of nodes.
struct both_scores {
  const node_score* test = nullptr;
  const node_score* unlabelled = nullptr;
};
using seed_scores = std::map<std::uint64_t, both_scores>;

/// One number; that with fractional ties is the plain accuracy for all nodes, which have no cut.
double number_of(const both_scores& scores, const score_measure& m);

/// The number of every seed; seeds where it is not defined are left out.
seed_values values_of(const seed_scores& scores, const score_measure& m);

/// Scores with what every cell chose.
seed_scores chosen_scores(const cell_index::by_seed& cells);

/// Scores with n patches; cells that did not try as many are left out.
seed_scores patches_scores(const cell_index::by_seed& cells, std::size_t n);

/// Scores of another rule to use the patches.
seed_scores combined_scores(const cell_index::by_seed& cells, std::string_view rule);

/// The backbone alone: the cells of the baseline; for seeds without one, 0 patches of GraphPatcher or a control.
seed_scores backbone_scores(const cell_index& index, const std::string& dataset, const std::string& backbone);

/// A control with as many patches as GraphPatcher chose for the same seed; where that chose no number, or the control
/// has one answer, as the control chose itself.
seed_scores control_scores(const cell_index::by_seed& control, const cell_index::by_seed& patcher);

/// One setting of GraphPatcher on one dataset and backbone.
struct comparison {
  std::string dataset, backbone, setting;
  cell_index::by_seed cells;  ///< of GraphPatcher; empty if it was not run
  seed_scores base;           ///< the backbone alone
  seed_scores patched;
  std::vector<std::pair<std::string, seed_scores>> controls;  ///< those that were run
  std::size_t best = 0;  ///< the best control: the rule with controls only (fair_control), else the best on test
  std::size_t on_test =
      0;  ///< control with the highest mean on the low third of the test nodes, found with their labels

  score_measure headline(node_group group = node_group::low) const { return headline_measure(dataset, group); }
  paired_difference gain(const score_measure& m) const { return paired(values_of(patched, m), values_of(base, m)); }
  paired_difference gain_over_control(const score_measure& m) const { return gain_over(best, m); }
  paired_difference gain_over_control_on_test(const score_measure& m) const { return gain_over(on_test, m); }
  std::string best_control() const { return controls.empty() ? "" : controls[best].first; }
  std::string best_control_on_test() const { return controls.empty() ? "" : controls[on_test].first; }

private:
  paired_difference gain_over(std::size_t control, const score_measure& m) const {
    return controls.empty() ? paired_difference{}
                            : paired(values_of(patched, m), values_of(controls[control].second, m));
  }
};

comparison compare(const cell_index& index, const std::string& dataset, const std::string& backbone,
                   const std::string& setting);

/// Every dataset and backbone that this setting was run on.
std::vector<comparison> compare_all(const cell_index& index, const std::string& setting);

}  // namespace graphpatcher
