// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/fixed_patches.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"
#include "graphpatcher/patcher/spread_predictions.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"
#include "kernels/cpu/table.hpp"

/// The algorithms of this level, by the names of what is compiled here: a program's
/// fit(), predict() and so on are calls of this table, and where objects are linked as
/// they are a linker may keep those for both. A file for each type of numbers and ids compiles
/// them for all backbones, which share most of what they are made of.
namespace graphpatcher::compiled::inline GP_LEVEL {

template <class T, graph_index I, class Backbone>
constexpr backbone_functions<T, I, Backbone> all_of_backbone() {
  return {
      .fit =
          [](const executor& exec, const dataset<T, I>& data, Backbone& model, const fit_options& options) {
            return graphpatcher::detail::fit_here<T, I, Backbone>(exec, data, model, options);
          },
      .predict =
          [](const executor& exec, const Backbone& model, const message_graph<I>& graph,
             const feature_table<T, I>& features) {
            return graphpatcher::detail::predict_here<T, I, Backbone>(exec, model, graph, features);
          },
      .forward = [](const Backbone& model, tape<T>& t, const message_graph<I>& graph,
                    const node_features<T, I>& features) { return model.forward(t, graph, features); },
  };
}

template <class T, graph_index I, class Backbone>
constexpr patcher_functions<T, I, Backbone> all_of_patcher() {
  return {
      .train =
          [](const executor& exec, const dataset<T, I>& data, const Backbone& model, const patcher_config& config,
             const training_watch<T>& watch) {
            return graphpatcher::detail::train_patcher_here<T, I, Backbone>(exec, data, model, config, watch);
          },
      .make_patching = [](const executor& exec, const csr_graph<I>& graph, const feature_table<T, I>& features,
                          const Backbone& model, std::span<const I> anchors,
                          const patching_options& options) -> std::unique_ptr<graphpatcher::detail::patching_work<T>> {
        return std::make_unique<graphpatcher::detail::patching_here<T, I, Backbone>>(exec, graph, features, model,
                                                                                     anchors, options);
      },
      .patch_fixed =
          [](const executor& exec, const csr_graph<I>& graph, const feature_table<T, I>& features,
             const Backbone& model, fixed_patch kind, std::span<const I> anchors, const patching_options& options) {
            return graphpatcher::detail::patch_fixed_here<T, I, Backbone>(exec, graph, features, model, kind, anchors,
                                                                          options);
          },
      .spread =
          [](const executor& exec, const dataset<T, I>& data, const Backbone& model, const spread_options& options) {
            return graphpatcher::detail::spread_here<T, I, Backbone>(exec, data, model, options);
          },
      .make_frozen =
          [](const executor& exec, const Backbone& model, const csr_graph<I>& graph,
             const feature_table<T, I>& features, const frozen_options& options) {
            return graphpatcher::detail::make_frozen_here<T, I, Backbone>(exec, model, graph, features, options);
          },
  };
}

#define GP_ALGORITHMS_OF(BACKBONE, T, I)                                                                      \
  template <>                                                                                                 \
  constinit const backbone_functions<T, I, BACKBONE<T>> filled<backbone_functions<T, I, BACKBONE<T>>>::part = \
      all_of_backbone<T, I, BACKBONE<T>>();                                                                   \
  template <>                                                                                                 \
  constinit const patcher_functions<T, I, BACKBONE<T>> filled<patcher_functions<T, I, BACKBONE<T>>>::part =   \
      all_of_patcher<T, I, BACKBONE<T>>();

#define GP_ALGORITHMS(T, I)             \
  GP_ALGORITHMS_OF(gcn_backbone, T, I)  \
  GP_ALGORITHMS_OF(sage_backbone, T, I) \
  GP_ALGORITHMS_OF(gat_backbone, T, I)

}  // namespace graphpatcher::compiled::inline GP_LEVEL
