// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/eval/run_record.hpp"
#include "graphpatcher/methods/method_info.hpp"
#include "graphpatcher/methods/some_backbone.hpp"
#include "graphpatcher/models/train_backbone.hpp"

namespace graphpatcher {

/// The rows of some nodes, in their order.
template <class T, graph_index I>
matrix<T> rows_of_nodes(const matrix<T>& all, std::span<const I> nodes) {
  matrix<T> rows(nodes.size(), all.cols());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    expects<index_error>(nodes[i] >= 0 && static_cast<std::size_t>(nodes[i]) < all.rows(), "methods: node ", nodes[i],
                         ", expected an id in [0, ", all.rows(), ")");
    std::ranges::copy(all.row(static_cast<std::size_t>(nodes[i])), rows.row(i).begin());
  }
  return rows;
}

/// Every node of a graph.
template <graph_index I>
std::vector<I> every_node(std::size_t count) {
  std::vector<I> nodes(count);
  std::iota(nodes.begin(), nodes.end(), I(0));
  return nodes;
}

/// A run of a method: what it is given, and what it leaves. A method is a struct
/// with `info` and a static `run(method_run&)`; registry.hpp lists them all.
/// A method that trains puts another backbone into `backbone` and its answers
/// into `predict`, one that patches changes `predict` alone: so one can act on
/// what another left, in the order in which their names are joined: one that
/// patches acts on the backbone, one that works on answers on those of `predict`.
template <class T, graph_index I>
struct method_run {
  /// Logits of nodes with 0, 1, ..., `patches` patches; only the first where there is nothing to add.
  using predictor = std::function<std::vector<matrix<T>>(std::span<const I> nodes, std::size_t patches)>;

  // Given.
  executor exec;
  const dataset<T, I>* data = nullptr;
  std::uint64_t seed = 0;
  some_backbone<T, I> untrained;  ///< the backbone as it begins
  fit_options fit{};              ///< how it is trained, for methods that train one
  patcher_config patcher{};       ///< for methods that train patches
  /// Patchers of the backbone as it is given, where a program that runs several methods on it keeps them. Empty: each
  /// is trained.
  std::function<trained_patcher<T>(const patcher_config&)> kept_patcher{};

  // Changed.
  some_backbone<T, I> backbone;            ///< trained
  predictor predict{};                     ///< how nodes are predicted; empty: as the backbone does
  run_settings settings{};                 ///< what is to be told of the method's own options
  std::optional<run_decision> decision{};  ///< of a method that weighs answers
  std::size_t iterations = 0;              ///< of its training
  std::vector<curve_point> curve{};        ///< likewise
  patch_path path = patch_path::generic;   ///< that its training took, or its patches

  /// The patcher of the backbone as it is now.
  trained_patcher<T> train_patcher(const patcher_config& config) const {
    return kept_patcher ? kept_patcher(config) : backbone.train_patcher(exec, *data, config);
  }

  /// Makes `predict` what the backbone answers without patches, as it is now.
  void answer_as_backbone() { patch_with(fixed_patch::zero, {}, 0); }

  /// Makes `predict` these logits, a row for every node of the graph.
  void answer_with(matrix<T> logits) {
    predict = [all = std::make_shared<const matrix<T>>(std::move(logits))](std::span<const I> nodes, std::size_t) {
      return std::vector<matrix<T>>{rows_of_nodes(*all, nodes)};
    };
  }

  /// Makes `predict` the backbone with patches of a network or with fixed ones; at most `most` of them.
  template <class Patches>
  void patch_with(Patches patches, patching_options how, std::size_t most = std::size_t(-1)) {
    path = backbone.path(exec, how);
    predict = [exec = exec, data = data, model = backbone, patches = std::move(patches), how, most](
                  std::span<const I> nodes, std::size_t count) {
      auto now = how;
      now.patches = std::min(count, most);
      return model.patch(exec, *data, patches, nodes, now);
    };
  }
};

}  // namespace graphpatcher
