// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/option.hpp"
#include "graphpatcher/eval/number_text.hpp"
#include "graphpatcher/eval/run_decision.hpp"
#include "graphpatcher/patcher/config.hpp"

/// What the rule of docs/rule.md has found out, as plain data: with backbone and patchers it is all that answers need.
namespace graphpatcher {

/// Probabilities that a candidate begins with: of the backbone, with patches of a source, or a mean of such.
struct answer_base {
  static constexpr std::size_t every_source = static_cast<std::size_t>(-1);

  std::size_t source = 0;   ///< 0: the backbone alone; s: the s-th source; every_source: the mean of all their means
  std::size_t patches = 0;  ///< 0: the mean over 1, 2, ... patches

  bool operator==(const answer_base&) const = default;
};

/// One of the answers that are weighed: softmax(beta log p), p its base, or that sharpened by beta_before and spread.
struct weighted_candidate {
  answer_base base;
  std::size_t steps = 0;  ///< of spreading; 0: none
  spread_over over = spread_over::both;
  double kappa = 0;
  double beta_before = 1;
  double beta = 1;
  double weight = 0;

  bool operator==(const weighted_candidate&) const = default;
};

struct weighted_options {
  double homophilous = 0.4;       ///< agreement H from which neighbours are trusted
  double evidence = 1;            ///< t must be above it where they are
  double evidence_otherwise = 3;  ///< and above this where they are not
  std::size_t folds = 5;        ///< of cross-fitting; 1: t is taken on the nodes that betas and weights were fitted on
  std::size_t similar = 20;     ///< nodes that spreading takes as similar
  std::size_t few_labels = 50;  ///< fewer validation nodes are warned about
  double doubtful_third = -1;   ///< a t of a third below it is warned about
  double most_changes = 0.03;   ///< among confident nodes, by spreading
  double least_vote_agreement = 0.82;

  void check() const {
    expects(folds >= 1, "weighted: expected at least 1 fold, got 0");
    expects(similar >= 1, "weighted: expected at least 1 similar node, got 0");
  }
};

struct weighted_fit {
  bool accepted = false;          ///< the verdict; without it answers are the backbone's
  double evidence = 0;            ///< t, cross-fitted
  double evidence_in_sample = 0;  ///< t on the nodes that betas and weights were fitted on
  double evidence_low = 0;        ///< t of the third of the validation nodes that has the fewest neighbours
  double evidence_high = 0;       ///< and of that which has the most; both cross-fitted, neither decides
  double needed = 0;              ///< what t must be above
  double agreement = 0;           ///< H
  double vote_agreement = 0;      ///< without labels: of neighbours' vote and own class
  double confident_changes = 0;   ///< without labels: by spreading, among the more confident half
  std::size_t validation_nodes = 0;
  std::size_t similar = 20;
  std::vector<std::string> sources;            ///< names
  std::vector<weighted_candidate> candidates;  ///< those with a weight, the largest first
  std::vector<std::string> warnings;

  bool operator==(const weighted_fit&) const = default;

  /// Throws unless answers can be mixed by it.
  void check() const {
    expects(similar >= 1, "weighted: expected at least 1 similar node, got 0");
    expects(!accepted || !candidates.empty(), "weighted: expected candidates to weigh, got none");
    for (const auto& [base, steps, over, kappa, beta_before, beta, weight] : candidates) {
      expects(base.source <= sources.size() || base.source == answer_base::every_source,
              "weighted: a candidate names source ", base.source, ", expected one up to ", sources.size());
      expects(base.source != answer_base::every_source || !sources.empty(),
              "weighted: a candidate is the mean of all sources, but there is none");
      expects(static_cast<double>(base.patches) <= most_units, "weighted: expected a number of patches up to ",
              most_units, ", got ", base.patches);
      expects(steps <= 2, "weighted: expected at most 2 steps of spreading, got ", steps);
      expects(kappa >= 0 && std::isfinite(kappa), "weighted: expected a kappa of at least 0, got ", kappa);
      for (const double number : {beta_before, beta, weight}) {
        expects(number > 0 && std::isfinite(number), "weighted: expected temperatures and weights above 0, got ",
                number);
      }
    }
  }

  std::string name_of(const weighted_candidate& candidate) const {
    const auto& [source, patches] = candidate.base;
    std::string name = source == 0 ? "backbone"
                       : source == answer_base::every_source
                           ? "mean of all"
                           : text(sources[source - 1], " ", patches == 0 ? "mean" : text(patches));
    if (candidate.steps > 0) {
      name += text(", spread over ", candidate.over == spread_over::both ? "both" : "similar nodes", ", kappa ",
                   candidate.kappa, ", steps ", candidate.steps);
    }
    return name;
  }

  /// What a record keeps of it: the five largest weights by name.
  run_decision decision() const {
    run_decision result{accepted, evidence, needed, agreement, validation_nodes, {}, warnings};
    for (std::size_t j = 0; j < std::min<std::size_t>(5, candidates.size()); ++j) {
      result.weights.push_back({name_of(candidates[j]), candidates[j].weight});
    }
    return result;
  }

  /// Verdict, t, H, the five largest weights and the warnings, a line each; then t of the thirds by degree.
  std::string report() const {
    return decision().report() + text("evidence of the low and the high third alone: ", fixed_text(evidence_low, 2),
                                      " and ", fixed_text(evidence_high, 2), "\n");
  }
};

/// The candidates of sources that give `patches` numbers of patches each; candidate 0 is the backbone. The third patch
/// of each source, the mean of the first and the mean of all are spread too, as is the backbone.
inline std::vector<weighted_candidate> weighted_candidates(const std::vector<std::size_t>& patches) {
  std::vector<weighted_candidate> list(1);
  std::vector<answer_base> spread{{}};
  for (std::size_t s = 1; s <= patches.size(); ++s) {
    for (std::size_t k = 1; k <= patches[s - 1]; ++k) {
      list.push_back({.base = {s, k}});
    }
    if (patches[s - 1] > 0) {
      spread.push_back({s, std::min<std::size_t>(3, patches[s - 1])});
    }
    if (patches[s - 1] > 1) {
      list.push_back({.base = {s, 0}});
    }
  }
  if (!patches.empty() && patches.front() > 1) {
    spread.push_back({1, 0});
  }
  if (patches.size() > 1) {
    list.push_back({.base = {answer_base::every_source, 0}});
    spread.push_back({answer_base::every_source, 0});
  }
  for (const auto& base : spread) {
    for (const auto over : {spread_over::both, spread_over::similar}) {
      for (const double kappa : {0.5, 1.0, 2.0, 4.0}) {
        for (const std::size_t steps : {1, 2}) {
          list.push_back({.base = base, .steps = steps, .over = over, .kappa = kappa});
        }
      }
    }
  }
  return list;
}

}  // namespace graphpatcher
