// SPDX-License-Identifier: MIT
#include "experiments/run/cell_scorer.hpp"

#include <string>
#include <utility>

#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/ops/loss.hpp"

namespace graphpatcher {

cell_scorer::cell_scorer(const experiment_data& data) : data_(&data), nodes_(data.split.validation) {
  data.check();
  expects(!data.split.validation.empty() && !data.split.test.empty(), data.name,
          ": expected validation and test nodes to score");
  std::vector<char> taken(data.nodes(), 0);
  for (const auto* part : {&data.split.train, &data.split.validation}) {
    for (const std::int32_t v : *part) {
      taken[static_cast<std::size_t>(v)] = 1;
    }
  }
  std::vector<char> tested(data.nodes(), 0);
  for (const std::int32_t v : data.split.test) {
    tested[static_cast<std::size_t>(v)] = 1;
  }
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    if (taken[v] == 0 && data.labels[v] >= 0) {
      if (tested[v] != 0) {
        test_rows_.push_back(nodes_.size() - data.split.validation.size());
      }
      nodes_.push_back(static_cast<std::int32_t>(v));
    }
  }
}

void cell_scorer::score(std::span<const matrix<float>> logits, std::size_t most, cell_result& cell) const {
  std::vector<matrix<float>> probabilities;
  patched_answers validation, unlabelled;
  std::vector<double> accuracies;
  for (std::size_t n = 0; n < logits.size(); ++n) {
    matrix<float> probability(logits[n].rows(), logits[n].cols());
    softmax(cpu{1}, logits[n].view(), probability.view());
    split(probability, validation, unlabelled);
    const auto chosen_by = score_group(validation.back());
    cell.by_patches.push_back({n, chosen_by.accuracy, chosen_by.log_likelihood, score_nodes(test_of(unlabelled.back())),
                               score_nodes(unlabelled.back())});
    if (n <= most) {
      accuracies.push_back(chosen_by.accuracy);
      probabilities.push_back(std::move(probability));
    }
  }
  cell.chosen = choose_patches(accuracies);
  cell.by_degree = score_degrees(unlabelled.front(), unlabelled[cell.chosen]);
  if (logits.size() == 1) {
    return;
  }
  const auto add = [&](std::string rule, const std::vector<node_answer>& answers) {
    cell.combined.push_back({std::move(rule), score_nodes(test_of(answers)), score_nodes(answers)});
  };
  patched_answers ignored, averaged;
  split(average(probabilities, probabilities.size()), ignored, averaged);
  add("average", averaged.front());
  add("likelihood", unlabelled[choose_by_likelihood(validation, most)]);
  add("by degree", pick_by_degree(unlabelled, choose_by_degree(validation, most)));
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
