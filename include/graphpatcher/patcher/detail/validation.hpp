// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/accuracy.hpp"
#include "graphpatcher/patcher/patching.hpp"

namespace graphpatcher {

/// How nodes are patched at test time: as in training.
inline patching_options patching_as(const patcher_config& config) {
  return {.patches = config.patches, .degree = config.degree, .edge = config.edge, .path = config.path};
}

/// One evaluation during training.
struct patcher_evaluation {
  std::size_t iteration = 0;
  double training_loss = 0;                   ///< mean since the evaluation before
  double validation_loss = std::nan("");      ///< with stop_rule::loss
  std::vector<double> validation_accuracies;  ///< with 0, 1, ... patches, percent; with stop_rule::accuracy

  /// What training maximises: the best accuracy over one patch and more, or minus the loss.
  double score() const {
    return validation_accuracies.empty()
               ? -validation_loss
               : *std::max_element(validation_accuracies.begin() + 1, validation_accuracies.end());
  }
};

/// Judges a patcher on the validation nodes, by the rule of its config.
template <class T, graph_index I, class Backbone>
class patcher_validation {
public:
  patcher_validation(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                     const patcher_config& config)
      : config_(config), nodes_(data.split.validation) {
    if (config.stop == stop_rule::loss) {  // a node without neighbours has nothing to corrupt
      std::erase_if(nodes_, [&](I v) { return data.graph.degree(static_cast<std::size_t>(v)) == 0; });
    }
    expects(!nodes_.empty(), data.name, ": expected validation nodes ",
            config.stop == stop_rule::loss ? "with a neighbour " : "", "to choose the weights by, got none");
    rows_.resize(nodes_.size());
    std::iota(rows_.begin(), rows_.end(), I(0));
    labels_ = data.labels_of(nodes_);
    if (config.stop == stop_rule::accuracy) {
      patching_.emplace(exec, data.graph, data.features, model, nodes_, patching_as(config));
    }
  }

  /// `trainer` is the one that trains `generator`.
  template <class Trainer>
  patcher_evaluation judge(Trainer& trainer, const patch_generator<T>& generator) {
    patcher_evaluation result;
    if (config_.stop == stop_rule::loss) {
      result.validation_loss = loss(trainer);
    } else {
      for (const auto& logits : patching_->run(generator).logits) {
        result.validation_accuracies.push_back(100.0 * share_right<T, I>(logits, rows_, labels_));
      }
    }
    return result;
  }

private:
  /// The training loss, frozen and under the same masks at every call.
  template <class Trainer>
  double loss(Trainer& trainer) const {
    constexpr std::uint64_t validation_iteration = std::numeric_limits<std::uint64_t>::max();
    double total = 0;
    for (std::size_t begin = 0; begin < nodes_.size(); begin += config_.batch) {
      const auto part = std::span<const I>(nodes_).subspan(begin, std::min(config_.batch, nodes_.size() - begin));
      total += trainer.loss(part, validation_iteration) * static_cast<double>(part.size());
    }
    return total / static_cast<double>(nodes_.size());
  }

  const patcher_config config_;
  std::vector<I> nodes_;
  std::vector<I> rows_;
  std::vector<I> labels_;
  std::optional<node_patching<T, I, Backbone>> patching_;  // with stop_rule::accuracy
};

}  // namespace graphpatcher
