// SPDX-License-Identifier: MIT
#include "experiments/run/scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graphpatcher/eval/degree_groups.hpp"
#include "graphpatcher/eval/roc_auc.hpp"

namespace graphpatcher {

std::vector<node_answer> judge_nodes(const experiment_data& data, std::span<const std::int32_t> nodes,
                                     const matrix<float>& probability) {
  expects<shape_error>(probability.rows() == nodes.size(), "scores: expected predictions of ", nodes.size(),
                       " nodes, got ", probability.rows());
  std::vector<node_answer> answers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto v = static_cast<std::size_t>(nodes[i]);
    const auto row = probability.row(i);
    const auto label = data.labels[v];
    expects<index_error>(label >= 0, "scores: node ", v, " has no label, so it can't be scored");
    const auto best = std::max_element(row.begin(), row.end());
    constexpr double least = 1e-12;  // a log-likelihood stays finite
    answers.push_back({data.graph.degree(v), static_cast<std::int64_t>(v), best - row.begin() == label,
                       static_cast<double>(*best),
                       std::log(std::max(least, static_cast<double>(row[static_cast<std::size_t>(label)]))),
                       row.size() == 2 ? static_cast<double>(row[1]) : undefined_metric, label == 1});
  }
  return answers;
}

namespace {

/// NaN unless there are two classes.
double auc_of(std::span<const node_answer> answers) {
  if (!std::isfinite(answers.front().second)) {
    return undefined_metric;
  }
  std::vector<double> scores;
  std::vector<bool> positive;
  for (const auto& answer : answers) {
    scores.push_back(answer.second);
    positive.push_back(answer.is_second);
  }
  return roc_auc(scores, positive);
}

}  // namespace

group_score score_group(std::span<const node_answer> answers) {
  if (answers.empty()) {
    return {};
  }
  constexpr std::size_t bins = 10;
  std::array<double, bins> trust{};
  std::array<double, bins> truth{};
  double right = 0, likelihood = 0;
  for (const auto& answer : answers) {
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(answer.confidence * bins));
    trust[bin] += answer.confidence;
    truth[bin] += answer.right ? 1 : 0;
    right += answer.right ? 1 : 0;
    likelihood += answer.log_likelihood;
  }
  double error = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    error += std::abs(trust[b] - truth[b]);
  }
  const auto count = static_cast<double>(answers.size());
  return {100 * right / count, likelihood / count, 100 * error / count, auc_of(answers)};
}

node_score score_nodes(std::vector<node_answer> answers) {
  std::ranges::sort(answers, {}, [](const node_answer& a) { return std::pair(a.degree, a.node); });
  const std::span<const node_answer> all(answers);
  const std::size_t low = low_group_size(all.size());
  const std::size_t high = high_group_size(all.size());
  std::vector<degree_count> by_degree;
  for (const auto& answer : answers) {
    if (by_degree.empty() || by_degree.back().degree != answer.degree) {
      by_degree.push_back({answer.degree, 0, 0});
    }
    ++by_degree.back().nodes;
    by_degree.back().correct += answer.right ? 1 : 0;
  }
  const auto fractional = fractional_accuracy(by_degree);
  return {score_group(all.first(low)), score_group(all.last(high)), score_group(all), fractional.low, fractional.high};
}

std::vector<degree_score> score_degrees(std::span<const node_answer> before, std::span<const node_answer> after) {
  struct interval {
    std::size_t last;
    const char* label;
  };
  constexpr std::array<interval, 8> intervals{{{0, "0"},
                                               {1, "1"},
                                               {2, "2"},
                                               {3, "3"},
                                               {5, "4-5"},
                                               {10, "6-10"},
                                               {30, "11-30"},
                                               {std::numeric_limits<std::size_t>::max(), "31+"}}};
  std::vector<degree_score> rows;
  std::size_t first = 0;
  for (const auto& [last, label] : intervals) {
    std::vector<node_answer> old_answers, new_answers;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i].degree >= first && before[i].degree <= last) {
        old_answers.push_back(before[i]);
        new_answers.push_back(after[i]);
      }
    }
    if (!old_answers.empty()) {
      rows.push_back({label, old_answers.size(), score_group(old_answers), score_group(new_answers)});
    }
    first = last + 1;
  }
  return rows;
}

}  // namespace graphpatcher
