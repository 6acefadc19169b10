// SPDX-License-Identifier: MIT
#include "experiments/run/cell_scorer.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "experiments/results/names.hpp"
#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/ops/loss.hpp"

namespace graphpatcher {

namespace {

matrix<float> probabilities(const matrix<float>& logits) {
  matrix<float> result(logits.rows(), logits.cols());
  softmax(cpu{1}, logits.view(), result.view());
  return result;
}

}  // namespace

cell_scorer::cell_scorer(const experiment_data& data, const backbone_function& alone)
    : data_(&data), nodes_(data.split.validation), tested_(data.nodes()) {
  data.check();
  expects(!data.split.validation.empty() && !data.split.test.empty(), data.name,
          ": expected validation and test nodes to score");
  std::vector<char> taken(data.nodes(), 0);
  for (const auto* part : {&data.split.train, &data.split.validation}) {
    for (const std::int32_t v : *part) {
      taken[static_cast<std::size_t>(v)] = 1;
    }
  }
  std::vector<std::size_t> row_of(data.nodes());
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    if (taken[v] == 0 && data.labels[v] >= 0) {
      row_of[v] = nodes_.size() - data.split.validation.size();
      nodes_.push_back(static_cast<std::int32_t>(v));
    }
  }
  const auto groups = make_degree_groups(data.graph, data.split.test);
  for (const std::int32_t v : groups.all) {
    test_rows_.push_back(row_of[static_cast<std::size_t>(v)]);
  }
  std::vector<std::int32_t> everyone(data.nodes());
  std::iota(everyone.begin(), everyone.end(), 0);
  const auto order = make_degree_groups(data.graph, everyone).all;
  std::size_t next = 0;  // both lists have one order
  for (std::size_t place = 0; place < order.size() && next < groups.all.size(); ++place) {
    if (order[place] == groups.all[next]) {
      tested_[place] = true;
      ++next;
    }
  }
  const auto describe = [&](const std::vector<std::int32_t>& group) {
    return describe_neighbors<std::int32_t>(data.graph, data.labels, group, data.classes);
  };
  neighbors_ = {describe(groups.low), describe(groups.high), describe(groups.all)};
  alone_ = probabilities(alone(nodes_));
}

void cell_scorer::score(std::span<const matrix<float>> logits, std::size_t most, cell_result& cell) const {
  const bool is_answer = logits.size() == 1 && cell.key.method != baseline_name();
  std::vector<matrix<float>> answers;
  patched_answers validation, unlabelled;
  std::vector<double> accuracies;
  if (is_answer) {
    split(alone_, validation, unlabelled);
  }
  for (const auto& one : logits) {
    answers.push_back(probabilities(one));
    split(answers.back(), validation, unlabelled);
  }
  for (std::size_t n = 0; n < (is_answer ? 1 : unlabelled.size()); ++n) {
    cell.by_patches.push_back(patched(n, validation[n], unlabelled[n]));
    if (n <= most) {
      accuracies.push_back(cell.by_patches.back().validation);
    }
  }
  cell.chosen = choose_patches(accuracies);
  if (is_answer) {
    cell.answer = patched(0, validation[1], unlabelled[1]);
  }
  const auto& answer = unlabelled[is_answer ? 1 : cell.chosen];
  cell.by_degree = score_degrees(unlabelled.front(), answer);
  cell.neighbors = neighbors_;
  cell.outcomes = outcomes(unlabelled.front(), answer);
  if (logits.size() == 1) {
    return;
  }
  const auto add = [&](std::string rule, const std::vector<node_answer>& judged) {
    cell.combined.push_back({std::move(rule), score_nodes(test_of(judged)), score_nodes(judged)});
  };
  answers.resize(accuracies.size());
  patched_answers ignored, averaged;
  split(average(answers, answers.size()), ignored, averaged);
  add("average", averaged.front());
  add("likelihood", unlabelled[choose_by_likelihood(validation, most)]);
  add("by degree", pick_by_degree(unlabelled, choose_by_degree(validation, most)));
}

patched_score cell_scorer::patched(std::size_t patches, const std::vector<node_answer>& validation,
                                   const std::vector<node_answer>& unlabelled) const {
  const auto chosen_by = score_group(validation);
  return {patches, chosen_by.accuracy, chosen_by.log_likelihood, score_nodes(test_of(unlabelled)),
          score_nodes(unlabelled)};
}

node_outcomes cell_scorer::outcomes(const std::vector<node_answer>& before,
                                    const std::vector<node_answer>& after) const {
  node_outcomes result{tested_, {}, {}};
  for (const std::size_t row : test_rows_) {
    result.before.push_back(before[row].right);
    result.after.push_back(after[row].right);
  }
  return result;
}

void cell_scorer::split(const matrix<float>& probability, patched_answers& validation,
                        patched_answers& unlabelled) const {
  auto answers = judge_nodes(*data_, nodes_, probability);
  const auto cut = answers.begin() + static_cast<std::ptrdiff_t>(data_->split.validation.size());
  validation.emplace_back(answers.begin(), cut);
  unlabelled.emplace_back(cut, answers.end());
}

std::vector<node_answer> cell_scorer::test_of(const std::vector<node_answer>& unlabelled) const {
  std::vector<node_answer> tested;
  for (const std::size_t row : test_rows_) {
    tested.push_back(unlabelled[row]);
  }
  return tested;
}

}  // namespace graphpatcher
