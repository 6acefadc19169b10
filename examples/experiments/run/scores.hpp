// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "experiments/results/cell.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

/// What experiments run on.
using experiment_data = dataset<float, std::int32_t>;

/// What one node's prediction is worth: whether it is right, how much it
/// trusted the class it chose, and what it gave the true one.
struct node_answer {
  std::size_t degree = 0;
  std::int64_t node = 0;
  bool right = false;
  double confidence = 0;             ///< largest probability
  double log_likelihood = 0;         ///< log of the true class's probability
  double second = undefined_metric;  ///< of two classes: probability of the second
  bool is_second = false;            ///< whether that is the true one
};

/// Scores of predictions with probabilities `rows x classes`, row i for nodes[i].
std::vector<node_answer> judge_nodes(const experiment_data& data, std::span<const std::int32_t> nodes,
                                     const matrix<float>& probability);

/// Accuracy, mean log-likelihood, expected calibration error with ten bins of
/// equal width, sum over bins of (share of nodes in it) |accuracy - mean confidence|, and of two classes ROC-AUC.
group_score score_group(std::span<const node_answer> answers);

/// The thirds by degree as degree_groups.hpp cuts them.
node_score score_nodes(std::vector<node_answer> answers);

/// Scores by degree, before and after; both lists name the same nodes in the same order.
std::vector<degree_score> score_degrees(std::span<const node_answer> before, std::span<const node_answer> after);

}  // namespace graphpatcher
