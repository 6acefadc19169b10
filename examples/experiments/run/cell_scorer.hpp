// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "experiments/results/cell.hpp"
#include "experiments/run/combine.hpp"
#include "experiments/run/scores.hpp"

namespace graphpatcher {

/// Scores the predictions of one method on the nodes of one dataset: those of
/// validation, by which everything is chosen, and every other node that has a
/// label and is not for training, the test nodes among them. The dataset must
/// outlive it.
class cell_scorer {
public:
  explicit cell_scorer(const experiment_data& data);

  /// The nodes to predict, in this order.
  std::span<const std::int32_t> nodes() const noexcept { return nodes_; }

  /// Fills in all scores of a cell. Entry n of `logits` has n patches; the
  /// number is chosen among 0, 1, ..., `most`.
  void score(std::span<const matrix<float>> logits, std::size_t most, cell_result& cell) const;

private:
  void split(const matrix<float>& probability, patched_answers& validation, patched_answers& unlabelled) const;
  std::vector<node_answer> test_of(const std::vector<node_answer>& unlabelled) const;

  const experiment_data* data_;
  std::vector<std::int32_t> nodes_;     // validation first
  std::vector<std::size_t> test_rows_;  // among those after validation
};

}  // namespace graphpatcher
