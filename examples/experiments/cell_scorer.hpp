// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/eval/evaluate.hpp"
#include "experiments/combine.hpp"
#include "graphpatcher/ops/loss.hpp"
#include "graphpatcher/patcher/patching_options.hpp"

namespace graphpatcher {

/// Scores the predictions of one method on the nodes of one dataset: those of
/// validation, by which everything is chosen, and every other node that has a
/// label and is not for training, the test nodes among them. The dataset must
/// outlive it.
template <class T, graph_index I>
class cell_scorer {
public:
  explicit cell_scorer(const dataset<T, I>& data) : data_(&data), nodes_(data.split.validation) {
    data.check();
    expects(!data.split.validation.empty() && !data.split.test.empty(), data.name,
            ": expected validation and test nodes to score");
    std::vector<char> taken(data.nodes(), 0);
    for (const auto* part : {&data.split.train, &data.split.validation}) {
      for (const I v : *part) {
        taken[static_cast<std::size_t>(v)] = 1;
      }
    }
    std::vector<char> tested(data.nodes(), 0);
    for (const I v : data.split.test) {
      tested[static_cast<std::size_t>(v)] = 1;
    }
    for (std::size_t v = 0; v < data.nodes(); ++v) {
      if (taken[v] == 0 && data.labels[v] >= 0) {
        if (tested[v] != 0) {
          test_rows_.push_back(nodes_.size() - data.split.validation.size());
        }
        nodes_.push_back(static_cast<I>(v));
      }
    }
  }

  /// The nodes to predict, in this order.
  std::span<const I> nodes() const noexcept { return nodes_; }

  /// Fills in all scores of a cell. Entry n of `logits` has n patches; the
  /// number is chosen among 0, 1, ..., `most`.
  void score(std::span<const matrix<T>> logits, std::size_t most, cell_result& cell) const {
    std::vector<matrix<T>> probabilities;
    patched_answers validation, unlabelled;
    std::vector<double> accuracies;
    for (std::size_t n = 0; n < logits.size(); ++n) {
      matrix<T> probability(logits[n].rows(), logits[n].cols());
      softmax(cpu{1}, logits[n].view(), probability.view());
      split(probability, validation, unlabelled);
      const auto chosen_by = score_group(validation.back());
      cell.by_patches.push_back({n, chosen_by.accuracy, chosen_by.log_likelihood,
                                 score_nodes(test_of(unlabelled.back())), score_nodes(unlabelled.back())});
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
    split(average<T>(probabilities, probabilities.size()), ignored, averaged);
    add("average", averaged.front());
    add("likelihood", unlabelled[choose_by_likelihood(validation, most)]);
    add("by degree", pick_by_degree(unlabelled, choose_by_degree(validation, most)));
  }

private:
  void split(const matrix<T>& probability, patched_answers& validation, patched_answers& unlabelled) const {
    auto answers = judge_nodes<T, I>(*data_, nodes_, probability);
    const auto cut = answers.begin() + static_cast<std::ptrdiff_t>(data_->split.validation.size());
    validation.emplace_back(answers.begin(), cut);
    unlabelled.emplace_back(cut, answers.end());
  }
  std::vector<node_answer> test_of(const std::vector<node_answer>& unlabelled) const {
    std::vector<node_answer> tested;
    for (const std::size_t row : test_rows_) {
      tested.push_back(unlabelled[row]);
    }
    return tested;
  }

  const dataset<T, I>* data_;
  std::vector<I> nodes_;                // validation first
  std::vector<std::size_t> test_rows_;  // among those after validation
};

}  // namespace graphpatcher
