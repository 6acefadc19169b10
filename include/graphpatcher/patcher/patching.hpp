// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/nn/placement.hpp"
#include "graphpatcher/patcher/generator.hpp"

namespace graphpatcher {

struct patching_options {
  std::size_t patches = 5;     ///< predict after 0, 1, ..., this many patches
  std::size_t batch = 64;      ///< anchors at once; changes memory and speed, never a bit of the result
  bool keep_features = false;  ///< also return the generated features
  degree_mode degree = degree_mode::graph;
  patch_edge edge = patch_edge::to_anchor;
  progress_options progress{.quiet = true};
};

/// Predictions for a set of nodes after each patch.
template <class T>
struct patched_predictions {
  std::vector<matrix<T>> logits;    ///< [k]: anchors x classes with k patches; [0] is the backbone's own
  std::vector<matrix<T>> features;  ///< [k]: anchors x features of patch k + 1, if asked for
};

namespace detail {

/// Copies rows of a batch to their place in a result.
template <class T>
void store_rows(const executor& exec, matrix_view<const T> rows, std::size_t begin, matrix<T>& result) {
  copy(exec, rows, result.view().middle_rows(begin, begin + rows.rows()));
}

/// patch_nodes() with a backbone and a generator whose parameters are in the
/// memory of `exec`.
template <class T, graph_index I, backbone_for<T, I> Backbone>
patched_predictions<T> patch_nodes(const executor& exec, const csr_graph<I>& graph, const sparse_matrix<T, I>& table,
                                   const Backbone& model, const patch_generator<T>& generator,
                                   std::type_identity_t<std::span<const I>> anchors,
                                   const patching_options& options = {}) {
  expects(options.batch >= 1, "patching: expected a batch of at least 1 anchor, got 0");
  expects<shape_error>(table.rows() == graph.nodes() && table.cols() == generator.features(),
                       "patching: expected features of ", graph.nodes(), " nodes x ", generator.features(), ", got ",
                       table.rows(), " x ", table.cols());
  check_anchors(graph, anchors);
  patched_predictions<T> result;
  for (std::size_t k = 0; k <= options.patches; ++k) {
    result.logits.emplace_back(exec, anchors.size(), model.classes(), contents::anything);
    if (options.keep_features && k < options.patches) {
      result.features.emplace_back(exec, anchors.size(), generator.features(), contents::anything);
    }
  }

  tape<T> t(exec);
  const auto frozen = t.freeze();
  std::vector<matrix<T>> patches(options.patches);
  progress bar("patching nodes", anchors.size(), options.progress);
  for (std::size_t begin = 0; begin < anchors.size(); begin += options.batch) {
    throw_if_interrupted("test-time patching");
    const auto count = std::min(options.batch, anchors.size() - begin);
    const auto batch = make_ego_batch(exec.host(), graph, anchors.subspan(begin, count), {.hops = model.hops()});
    for (std::size_t k = 0; k <= options.patches; ++k) {
      t.reset();
      const auto messages = materialise(exec.host(), batch, message_options{options.degree, options.edge, k});
      node_features<T, I> x{&table, &messages, {}};
      for (std::size_t step = 0; step < k; ++step) {
        x.patches.push_back(t.constant(patches[step].view()));
      }
      store_rows<T>(exec, frozen_forward(t, model, messages, x).value(), begin, result.logits[k]);
      if (k < options.patches) {
        const auto patch = generator.forward(t, messages, x).value();
        patches[k] = matrix<T>(exec, patch.rows(), patch.cols(), contents::anything);
        copy(exec, patch, patches[k].view());
        if (options.keep_features) {
          store_rows<T>(exec, patch, begin, result.features[k]);
        }
      }
    }
    bar.advance(count);
  }
  if (!exec.on_host()) {  // read back once, at the end
    for (auto* part : {&result.logits, &result.features}) {
      for (auto& values : *part) {
        values = values.copy_on(cpu{});
      }
    }
  }
  return result;
}

}  // namespace detail

/// Test-time patching: starts from the whole ego-graph of each anchor, adds
/// patches one by one and predicts after each. The backbone stays frozen.
template <class T, graph_index I, backbone_for<T, I> Backbone>
patched_predictions<T> patch_nodes(const executor& exec, const csr_graph<I>& graph, const sparse_matrix<T, I>& table,
                                   const Backbone& model, const patch_generator<T>& generator,
                                   std::type_identity_t<std::span<const I>> anchors,
                                   const patching_options& options = {}) {
  const placed_model<Backbone> placed(exec, model);
  const placed_model<patch_generator<T>> placed_generator(exec, generator);
  return detail::patch_nodes(exec, graph, table, *placed, *placed_generator, anchors, options);
}

}  // namespace graphpatcher
