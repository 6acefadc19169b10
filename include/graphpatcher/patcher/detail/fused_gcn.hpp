// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "graphpatcher/cuda/ego_graphs.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/unwrapped.hpp"
#include "graphpatcher/ops/corrupted_logits.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"

namespace graphpatcher {

namespace detail {

template <class Model>
inline constexpr bool is_gcn = false;
template <class T>
inline constexpr bool is_gcn<gcn_backbone<T>> = true;

}  // namespace detail

/// Backbones that the fused kernel knows: a GCN of this library. A class derived
/// from it may compute something else, so it isn't.
template <class Model>
inline constexpr bool has_fused_targets = detail::is_gcn<unwrapped_t<Model>>;

namespace detail {

/// Why corrupted_logits() can't answer for a model on a graph; empty if it can.
template <class T, graph_index I>
std::string why_not_fused(const device& exec, const gcn_backbone<T>& model, const csr_graph<I>& graph) {
  if (!backend::has_operation(exec, &backend::frozen_operations<T, T, I>::corrupted_logits)) {
    return text("the ", exec.name(), " backend has no corrupted_logits for ",
                backend::frozen_operations<T, T, I>::types());
  }
  if (model.hops() != 2) {
    return text("it is for a GCN of 2 layers, this one has ", model.hops());
  }
  if (model.layers[0].norm == normalisation::sum) {
    return "it is for mean and symmetric normalisation, this is sum";
  }
  return is_simple(graph) ? "" : "the graph is directed, or names an edge twice";
}

/// A two-layer GCN over fixed features as corrupted_logits() takes it, on a device.
/// The model, in the memory of `exec`, must outlive it and not change.
template <class T, graph_index I>
class fused_gcn {
public:
  fused_gcn(const device& exec, const gcn_backbone<T>& model, const csr_graph<I>& graph,
            const feature_table<T, I>& features)
      : exec_(exec), model_(&model), graph_(exec, graph, 1) {
    std::vector<I> all(graph.nodes());
    std::iota(all.begin(), all.end(), I(0));
    projected_ = matrix<T>(exec, all.size(), model.layers[0].outputs(), contents::anything);
    sparse_gemm<T, I>(exec, {&features, all}, model.layers[0].weight.value.view(), projected_.view());
  }

  std::size_t classes() const noexcept { return model_->classes(); }

  void answer(std::type_identity_t<std::span<const I>> anchors, const corruption_options& options,
              const corrupted_answers<T>& answers) const {
    const auto row = [](const parameter<T>& bias) { return std::span<const T>(bias.value.data(), bias.value.cols()); };
    const auto& layers = model_->layers;
    const frozen_gcn<T> frozen{projected_.view(), row(layers[0].bias), layers[1].weight.value.view(),
                               row(layers[1].bias), layers[0].norm};
    corrupted_logits<T, T, I>(exec_, graph_.view(), frozen, anchors, options, answers);
  }

private:
  device exec_;
  const gcn_backbone<T>* model_;
  device_graph<I> graph_;
  matrix<T> projected_;  ///< X W1 of every node
};

}  // namespace detail
}  // namespace graphpatcher
