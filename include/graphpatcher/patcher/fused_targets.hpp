// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "graphpatcher/cuda/ego_graphs.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/ops/corrupted_logits.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"
#include "graphpatcher/patcher/training_loss.hpp"

namespace graphpatcher {

/// Backbones whose targets may be fused, in a program that has a GPU: a GCN of
/// this library. A class derived from it may compute something else, so it isn't.
template <class Model>
inline constexpr bool has_fused_targets = false;
template <class T>
inline constexpr bool has_fused_targets<gcn_backbone<T>> = GRAPHPATCHER_HAS_CUDA;
template <class Model>
inline constexpr bool has_fused_targets<trained<Model>> = has_fused_targets<Model>;

/// What a patcher is to reproduce on a GPU, by corrupted_logits(): one launch a
/// step takes all (anchor, sample) pairs from masks to probabilities, and no
/// ego-graph is built. The same as corrupted_targets() and whole_targets(), to
/// rounding.
///
/// The model, in the memory of `exec`, must outlive it and not change.
template <class T, graph_index I>
class fused_targets {
public:
  fused_targets(const cuda& exec, const gcn_backbone<T>& model, const dataset<T, I>& data)
      : exec_(exec), model_(&model), graph_(exec, data.graph, 1) {
    std::vector<I> all(data.graph.nodes());
    std::iota(all.begin(), all.end(), I(0));
    projected_ = matrix<T>(exec, all.size(), model.layers[0].outputs(), contents::anything);
    sparse_gemm<T, I>(exec_, {&data.features, all}, model.layers[0].weight.value.view(), projected_.view());
  }

  /// Whether it can be used for these settings.
  static bool fits(const gcn_backbone<T>& model, const csr_graph<I>& graph, const patcher_config& config) {
    return model.hops() == 2 && model.layers[0].norm != normalisation::sum && config.degree == degree_mode::graph &&
           config.estimator == estimator::sampled && detail::is_undirected(graph);
  }

  /// What step m of an iteration aims at.
  patch_targets<T> of_step(std::span<const I> anchors, const patcher_config& config, std::uint64_t iteration,
                           std::size_t m) const {
    const bool last = m + 1 == config.strengths.size();
    const auto corruption = last ? corruption_options{.strength = 0} : target_corruption(config, iteration, m + 1);
    patch_targets<T> targets;
    targets.probabilities =
        matrix<T>(exec_, anchors.size() * corruption.samples, model_->classes(), contents::anything);
    corrupted_logits<T, T, I>(exec_, graph_.view(), frozen(), anchors, corruption,
                              {.probabilities = targets.probabilities.view()});
    const double share = sample_share(config, corruption.samples, last) / static_cast<double>(anchors.size());
    targets.weights.assign(anchors.size() * corruption.samples, static_cast<T>(share));
    for (std::size_t b = 0; b < anchors.size(); ++b) {
      targets.owner.insert(targets.owner.end(), corruption.samples, static_cast<std::int32_t>(b));
    }
    return targets;
  }

private:
  frozen_gcn<T> frozen() const {
    const auto row = [](const parameter<T>& bias) { return std::span<const T>(bias.value.data(), bias.value.cols()); };
    const auto& layers = model_->layers;
    return {projected_.view(), row(layers[0].bias), layers[1].weight.value.view(), row(layers[1].bias), layers[0].norm};
  }
  static double sample_share(const patcher_config& config, std::size_t samples, bool last) {
    return !last && config.reduction == sample_reduction::sum ? 1.0 : 1.0 / static_cast<double>(samples);
  }

  executor exec_;
  const gcn_backbone<T>* model_;
  device_graph<I> graph_;
  matrix<T> projected_;  ///< X W1 of every node
};

}  // namespace graphpatcher
