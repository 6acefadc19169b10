// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/eval/agreement.hpp"
#include "graphpatcher/eval/evidence.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/methods/weighted_fit.hpp"
#include "graphpatcher/patcher/spread_predictions.hpp"

/// The rule of docs/rule.md on answers that are there: fits it, and mixes by it.
namespace graphpatcher {

/// Probabilities of all nodes of a graph: the backbone's, and for each source with 1, 2, ... patches. Sources that
/// nobody will ask for may be left empty.
template <class T>
struct base_answers {
  matrix<T> own;
  std::vector<std::vector<matrix<T>>> patched;

  matrix<T> of(const answer_base& base) const {
    if (base.source == 0) {
      return own;
    }
    if (base.source == answer_base::every_source) {
      std::vector<matrix<T>> means;
      for (std::size_t s = 1; s <= patched.size(); ++s) {
        means.push_back(mean(patched[s - 1]));
      }
      return mean(means);
    }
    const auto& source = patched[base.source - 1];
    return base.patches > 0 ? source[base.patches - 1] : mean(source);
  }

private:
  static matrix<T> mean(const std::vector<matrix<T>>& all) {
    matrix<T> result = all.front();
    const auto values = result.values();
    for (std::size_t k = 1; k < all.size(); ++k) {
      std::ranges::transform(values, all[k].values(), values.begin(), std::plus<>());
    }
    for (T& value : values) {
      value /= static_cast<T>(all.size());
    }
    return result;
  }
};

namespace detail {

/// Fills in everything that says when to doubt, and the verdict.
inline void judge(weighted_fit& fit, const weighted_options& options) {
  const std::size_t count = fit.validation_nodes;
  fit.needed = fit.agreement >= options.homophilous ? options.evidence : options.evidence_otherwise;
  fit.accepted = count > 0 && fit.evidence > fit.needed;
  if (count == 0) {
    fit.warnings = {"no validation nodes: nothing can be weighed, the answers are the backbone's"};
  } else if (count < options.few_labels) {
    fit.warnings.push_back(text("only ", count, " validation nodes: the verdict is thin"));
    if (fit.confident_changes > options.most_changes) {
      fit.warnings.push_back(text("spreading changes ", fixed_text(100 * fit.confident_changes, 0),
                                  " % of the more confident half of the nodes: neighbours may be of other classes"));
    }
    if (fit.vote_agreement < options.least_vote_agreement) {
      fit.warnings.push_back(text("the neighbours' vote agrees with a node's own class in ",
                                  fixed_text(100 * fit.vote_agreement, 0),
                                  " % beyond chance: neighbours may be of other classes"));
    }
  }
}

}  // namespace detail

/// Fits the rule on the validation nodes of a dataset. `alike`: similar_nodes() of options.similar.
template <class T, graph_index I>
weighted_fit fit_weighted(const cpu& exec, const dataset<T, I>& data, const base_answers<T>& answers,
                          const sparse_matrix<T, I>& alike, std::vector<std::string> sources,
                          const weighted_options& options = {}) {
  options.check();
  const auto& nodes = data.split.validation;
  const auto labels = data.labels_of(nodes);
  weighted_fit fit;
  fit.validation_nodes = nodes.size();
  fit.similar = options.similar;
  fit.sources = std::move(sources);
  if (!nodes.empty()) {
    std::vector<std::size_t> counts;
    for (const auto& source : answers.patched) {
      counts.push_back(source.size());
    }
    auto candidates = weighted_candidates(counts);
    judged_answers judged{{}, {labels.begin(), labels.end()}};
    std::vector<std::size_t> rows(nodes.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    matrix<T> sharp, now;
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      auto& candidate = candidates[j];
      const bool same_base =
          candidate.steps > 0 && candidates[j - 1].steps > 0 && candidates[j - 1].base == candidate.base;
      if (candidate.steps > 0) {
        candidate.beta_before = candidates[j - 1].beta_before;
        if (!same_base) {
          const auto p = answers.of(candidate.base);
          candidate.beta_before = fit_temperature(log_probabilities<T, I>(p, nodes), judged.labels, rows);
          sharp = sharpen(exec, p, candidate.beta_before);
        }
        // one step more than the candidate before, which differs in nothing else, or the first
        now = spread_probabilities(exec, data.graph, alike, candidate.steps == 1 ? sharp : std::move(now),
                                   {.over = candidate.over, .weight = candidate.kappa, .steps = 1});
      }
      judged.logs.push_back(log_probabilities<T, I>(candidate.steps == 0 ? answers.of(candidate.base) : now, nodes));
    }
    const auto weights = weigh_answers(exec, judged, rows);
    fit.evidence = evidence(cross_fitted_gains(exec, judged, options.folds));
    fit.evidence_in_sample = options.folds == 1 ? fit.evidence : evidence(cross_fitted_gains(exec, judged, 1));
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      if (weights.weight[j] > 0) {
        candidates[j].beta = weights.beta[j];
        candidates[j].weight = weights.weight[j];
        fit.candidates.push_back(candidates[j]);
      }
    }
    std::ranges::stable_sort(fit.candidates, std::greater<>(), &weighted_candidate::weight);
  }
  const auto predicted = largest_columns<T>(answers.own.view());
  fit.agreement = neighbor_agreement<I>(data.graph, predicted, nodes, labels, data.classes);
  fit.vote_agreement = vote_agreement(data.graph, predicted, data.classes);
  fit.confident_changes = confident_changes<T>(
      answers.own, spread_probabilities(exec, data.graph, alike, answers.own, {.weight = 2, .steps = 2}));
  detail::judge(fit, options);
  return fit;
}

/// Logits of all nodes of a graph: log of the sum over candidates of w_j softmax(beta_j log p_j). `alike` may be empty
/// where no candidate spreads.
template <class T, graph_index I>
matrix<T> mix_answers(const cpu& exec, const csr_graph<I>& graph, const base_answers<T>& answers,
                      const sparse_matrix<T, I>& alike, const weighted_fit& fit) {
  matrix<double> mixed(graph.nodes(), answers.own.cols());
  for (const auto& candidate : fit.candidates) {
    auto p = answers.of(candidate.base);
    if (candidate.steps > 0) {
      p = spread_probabilities(exec, graph, alike, sharpen(exec, p, candidate.beta_before),
                               {.over = candidate.over, .weight = candidate.kappa, .steps = candidate.steps});
    }
    const auto q = sharpen(exec, p, candidate.beta);
    std::ranges::transform(mixed.values(), q.values(), mixed.values().begin(),
                           [&](double sum, T value) { return sum + candidate.weight * static_cast<double>(value); });
  }
  matrix<T> logits(mixed.rows(), mixed.cols());
  std::ranges::transform(mixed.values(), logits.values().begin(),
                         [](double value) { return static_cast<T>(safe_log(value)); });
  return logits;
}

}  // namespace graphpatcher
