// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  /// Gives logits of nodes without patches.
  using backbone_function = std::function<matrix<float>(std::span<const std::int32_t>)>;

  /// `alone`: the backbone as all methods are given it, beside which a method with one answer stands.
  cell_scorer(const experiment_data& data, const backbone_function& alone);

  /// The nodes to predict, in this order.
  std::span<const std::int32_t> nodes() const noexcept { return nodes_; }

  /// Fills in all scores of a cell. Entry n of `logits` has n patches; the
  /// number is chosen among 0, 1, ..., `most`. A single entry is the answer of the method, unless that is the baseline.
  void score(std::span<const matrix<float>> logits, std::size_t most, cell_result& cell) const;

private:
  void split(const matrix<float>& probability, patched_answers& validation, patched_answers& unlabelled) const;
  std::vector<node_answer> test_of(const std::vector<node_answer>& unlabelled) const;

  patched_score patched(std::size_t patches, const std::vector<node_answer>& validation,
                        const std::vector<node_answer>& unlabelled) const;
  node_outcomes outcomes(const std::vector<node_answer>& before, const std::vector<node_answer>& after) const;

  const experiment_data* data_;
  std::vector<std::int32_t> nodes_;     // validation first
  std::vector<std::size_t> test_rows_;  // among those after validation, by (degree, node)
  std::vector<bool> tested_;            // of all nodes by (degree, node)
  neighbor_score neighbors_;
  matrix<float> alone_;  // probabilities
};

}  // namespace graphpatcher
