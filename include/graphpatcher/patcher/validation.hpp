// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/accuracy.hpp"
#include "graphpatcher/patcher/patching.hpp"
#include "graphpatcher/patcher/training_loss.hpp"

namespace graphpatcher {

/// How nodes are patched at test time: as in training.
inline patching_options patching_as(const patcher_config& config) {
  return {.patches = config.patches, .degree = config.degree, .edge = config.edge};
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

/// Judges a patcher on the validation nodes, by the rule of its config. Backbone
/// and generators have their parameters in the memory of the executor.
template <class T, graph_index I, class Backbone>
class patcher_validation {
public:
  patcher_validation(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                     const patcher_config& config)
      : exec_(exec), data_(data), model_(model), config_(config), nodes_(data.split.validation) {
    if (config.stop == stop_rule::loss) {  // a node without neighbours has nothing to corrupt
      std::erase_if(nodes_, [&](I v) { return data.graph.degree(static_cast<std::size_t>(v)) == 0; });
    }
    expects(!nodes_.empty(), data.name, ": expected validation nodes ",
            config.stop == stop_rule::loss ? "with a neighbour " : "", "to choose the weights by, got none");
    rows_.resize(nodes_.size());
    std::iota(rows_.begin(), rows_.end(), I(0));
    for (const I v : nodes_) {
      labels_.push_back(data.labels[static_cast<std::size_t>(v)]);
    }
  }

  patcher_evaluation judge(const patch_generator<T>& generator) const {
    patcher_evaluation result;
    if (config_.stop == stop_rule::loss) {
      result.validation_loss = loss(generator);
    } else {
      const auto patched = detail::patch_nodes<T, I>(exec_, data_.graph, data_.features, model_, generator, nodes_,
                                                     patching_as(config_));
      for (const auto& logits : patched.logits) {
        result.validation_accuracies.push_back(100.0 * share_right<T, I>(logits, rows_, labels_));
      }
    }
    return result;
  }

private:
  /// The training loss, frozen and under the same masks at every call.
  double loss(const patch_generator<T>& generator) const {
    constexpr std::uint64_t validation_iteration = std::numeric_limits<std::uint64_t>::max();
    tape<T> t(exec_);
    tape<T> scratch(exec_);
    const auto frozen = t.freeze();
    double total = 0;
    for (std::size_t begin = 0; begin < nodes_.size(); begin += config_.batch) {
      t.reset();
      const auto part = std::span<const I>(nodes_).subspan(begin, std::min(config_.batch, nodes_.size() - begin));
      const auto batch = make_ego_batch(exec_.host(), data_.graph, part, {.hops = model_.hops()});
      const auto masks = draw_masks(exec_.host(), batch, config_, validation_iteration);
      const auto pass = run_training_pass(t, scratch, model_, generator, data_.features, batch, masks, config_);
      total += static_cast<double>(to_host(exec_, pass.loss.value())(0, 0)) * static_cast<double>(part.size());
    }
    return total / static_cast<double>(nodes_.size());
  }

  const executor exec_;
  const dataset<T, I>& data_;
  const Backbone& model_;
  const patcher_config& config_;
  std::vector<I> nodes_;
  std::vector<I> rows_;
  std::vector<I> labels_;
};

}  // namespace graphpatcher
