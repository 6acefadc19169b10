// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/patcher/detail/fused_gcn.hpp"
#include "graphpatcher/patcher/detail/training_loss.hpp"

namespace graphpatcher {

/// What a patcher is to reproduce on a device that has corrupted_logits(): one launch a
/// step takes all (anchor, sample) pairs from masks to probabilities, and no
/// ego-graph is built. The same as corrupted_targets() and whole_targets(), to
/// rounding.
///
/// The model, in the memory of `exec`, must outlive it and not change.
template <class T, graph_index I>
class fused_targets {
public:
  fused_targets(const device& exec, const gcn_backbone<T>& model, const dataset<T, I>& data)
      : exec_(exec), gcn_(exec, model, data.graph, data.features) {}

  fused_targets(const device&, const gcn_backbone<T>&&, const dataset<T, I>&) = delete;

  /// Whether it can be used for these settings.
  static bool fits(const device& exec, const gcn_backbone<T>& model, const csr_graph<I>& graph,
                   const patcher_config& config) {
    return config.degree == degree_mode::graph && config.estimator == estimator::sampled &&
           detail::why_not_fused(exec, model, graph).empty();
  }

  /// What step m of an iteration aims at.
  patch_targets<T> of_step(std::span<const I> anchors, const patcher_config& config, std::uint64_t iteration,
                           std::size_t m) const {
    const bool last = m + 1 == config.strengths.size();
    const auto corruption = last ? corruption_options{.strength = 0} : target_corruption(config, iteration, m + 1);
    patch_targets<T> targets;
    targets.probabilities = matrix<T>(exec_, anchors.size() * corruption.samples, gcn_.classes(), contents::anything);
    gcn_.answer(anchors, corruption, {.probabilities = targets.probabilities.view()});
    const double share = sample_share(config, corruption.samples, last) / static_cast<double>(anchors.size());
    targets.weights.assign(anchors.size() * corruption.samples, static_cast<T>(share));
    for (std::size_t b = 0; b < anchors.size(); ++b) {
      targets.owner.insert(targets.owner.end(), corruption.samples, static_cast<std::int32_t>(b));
    }
    return targets;
  }

private:
  static double sample_share(const patcher_config& config, std::size_t samples, bool last) {
    return !last && config.reduction == sample_reduction::sum ? 1.0 : 1.0 / static_cast<double>(samples);
  }

  executor exec_;
  detail::fused_gcn<T, I> gcn_;
};

}  // namespace graphpatcher
