// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graphpatcher/eval/agreement.hpp"
#include "graphpatcher/eval/degree_groups.hpp"
#include "graphpatcher/eval/evidence.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/methods/detail/candidate_answers.hpp"
#include "graphpatcher/methods/weighted_fit.hpp"
#include "graphpatcher/patcher/spread_predictions.hpp"

/// The rule of docs/rule.md on answers that are there: fits it, and mixes by it.
namespace graphpatcher {

namespace detail {

/// t of the nodes that have the fewest neighbours and of those that have the most, as degree_groups splits them.
template <graph_index I>
std::pair<double, double> evidence_of_thirds(const csr_graph<I>& graph, std::span<const I> nodes,
                                             std::span<const double> gains) {
  std::vector<std::tuple<std::size_t, I, double>> order;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    order.emplace_back(graph.degree(static_cast<std::size_t>(nodes[i])), nodes[i], gains[i]);
  }
  std::ranges::sort(order);
  const auto t_of = [&](std::size_t first, std::size_t count) {
    std::vector<double> some;
    for (std::size_t i = first; i < first + count; ++i) {
      some.push_back(std::get<2>(order[i]));
    }
    return some.empty() ? 0.0 : evidence(some);
  };
  const std::size_t high = high_group_size(order.size());
  return {t_of(0, low_group_size(order.size())), t_of(order.size() - high, high)};
}

/// Fills in everything that says when to doubt, and the verdict.
inline void judge(weighted_fit& fit, const weighted_options& options) {
  const std::size_t count = fit.validation_nodes;
  fit.needed = fit.agreement >= options.homophilous ? options.evidence : options.evidence_otherwise;
  fit.accepted = count > 0 && fit.evidence > fit.needed;
  if (count == 0) {
    fit.warnings = {"no validation nodes: nothing can be weighed, the answers are the backbone's"};
    return;
  }
  for (const auto& [third, t] : {std::pair("fewest", fit.evidence_low), std::pair("most", fit.evidence_high)}) {
    if (fit.accepted && t < options.doubtful_third) {
      fit.warnings.push_back(text("the third of the validation nodes with the ", third,
                                  " neighbours is against it (t = ", fixed_text(t, 2), ")"));
    }
  }
  if (count < options.few_labels) {
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
    detail::candidate_answers<T, I> all(exec, answers, data.graph, alike, {nodes.begin(), nodes.end()});
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      auto& candidate = candidates[j];
      if (candidate.steps > 0) {
        const bool same_base = candidates[j - 1].steps > 0 && candidates[j - 1].base == candidate.base;
        candidate.beta_before =
            same_base ? candidates[j - 1].beta_before
                      : fit_temperature(log_probabilities<T, I>(all.base(candidate.base), nodes), judged.labels, rows);
      }
      judged.logs.push_back(log_probabilities<T, I>(all.of(candidate), nodes));
    }
    const auto weights = weigh_answers(exec, judged, rows);
    const auto gains = cross_fitted_gains(exec, judged, weights, options.folds);
    fit.evidence = evidence(gains);
    std::tie(fit.evidence_low, fit.evidence_high) = detail::evidence_of_thirds<I>(data.graph, nodes, gains);
    fit.evidence_in_sample = evidence(fitted_gains(judged, weights));
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
  auto candidates = fit.candidates;
  std::ranges::stable_sort(candidates, {}, [](const weighted_candidate& c) {  // those that share work stand together
    return std::tuple(c.base.source, c.base.patches, c.beta_before, c.over, c.kappa, c.steps);
  });
  std::vector<std::size_t> nodes(graph.nodes());
  std::iota(nodes.begin(), nodes.end(), std::size_t{0});
  detail::candidate_answers<T, I> all(exec, answers, graph, alike, nodes);
  matrix<double> mixed(graph.nodes(), answers.own.cols());
  for (const auto& candidate : candidates) {
    const auto& p = all.of(candidate);
    parallel_for(exec, p.rows(), 256, [&](std::size_t first, std::size_t last) {
      std::vector<T> q(p.cols());
      for (std::size_t v = first; v < last; ++v) {
        sharpen_row<T>(p.row(v), candidate.beta, q);
        std::ranges::transform(mixed.row(v), q, mixed.row(v).begin(), [&](double sum, T value) {
          return sum + candidate.weight * static_cast<double>(value);
        });
      }
    });
  }
  matrix<T> logits(mixed.rows(), mixed.cols());
  std::ranges::transform(mixed.values(), logits.values().begin(),
                         [](double value) { return static_cast<T>(safe_log(value)); });
  return logits;
}

}  // namespace graphpatcher
