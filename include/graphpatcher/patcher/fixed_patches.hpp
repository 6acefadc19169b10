// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "graphpatcher/patcher/patching.hpp"

namespace graphpatcher {

/// Features of a patch that nobody has to train. They are what a trained patcher
/// is to be compared with: one more one-way neighbour changes an anchor's
/// weights, whatever that neighbour carries.
enum class fixed_patch {
  zero,  ///< all features 0
  mean,  ///< the mean over all nodes of the graph
  copy,  ///< the anchor's own
};

namespace detail {

template <class T, graph_index I>
std::vector<T> mean_features(const feature_table<T, I>& table) {
  std::vector<double> sum(table.cols());
  for (std::size_t v = 0; v < table.rows(); ++v) {
    table.for_each_nonzero(v, [&](std::size_t column, T value) { sum[column] += static_cast<double>(value); });
  }
  std::vector<T> mean(table.cols());
  std::transform(sum.begin(), sum.end(), mean.begin(),
                 [&](double total) { return static_cast<T>(total / static_cast<double>(table.rows())); });
  return mean;
}

/// What patch_nodes() says below, compiled where it is called.
template <class T, graph_index I, backbone_for<T, I> Backbone>
patched_predictions<T> patch_fixed_here(const executor& exec, const csr_graph<I>& graph,
                                        const feature_table<T, I>& table, const Backbone& model, fixed_patch kind,
                                        std::span<const I> anchors, patching_options options) {
  expects(options.batch >= 1, "patching: expected a batch of at least 1 anchor, got 0");
  expects<shape_error>(table.rows() == graph.nodes(), "patching: expected features of ", graph.nodes(), " nodes, got ",
                       table.rows());
  check_anchors(graph, anchors);
  options.keep_features = false;
  const auto path = choose_path(options.path, why_not_fast(exec, model, options.degree, options.edge));
  const auto mean = kind == fixed_patch::mean ? mean_features(table) : std::vector<T>();
  if constexpr (has_rows<Backbone>) {
    if (path == patch_path::fast) {
      const cpu host = exec.host();
      auto result = room_for_predictions<T>(host, anchors.size(), model.classes(), table.cols(), options);
      for (std::size_t begin = 0; begin < anchors.size(); begin += anchors_a_part) {
        throw_if_interrupted("test-time patching");
        const auto part = anchors.subspan(begin, std::min(anchors_a_part, anchors.size() - begin));
        const fast::patching<T, I, Backbone> patching(host, graph, table, model, part, options.edge);
        const auto& weight = patching.rows().first.weight();
        matrix<T> product(part.size(), weight.cols());
        if (kind == fixed_patch::copy) {
          sparse_gemm<T, I>(host, {&table, part, {}, {}}, weight.view(), product.view());
        } else if (kind == fixed_patch::mean) {
          matrix<T> row(1, mean.size());
          std::ranges::copy(mean, row.row(0).begin());
          gemm<T>(host, row.view(), weight.view(), product.view().middle_rows(0, 1));
          for (std::size_t b = 1; b < part.size(); ++b) {
            std::copy_n(product.row(0).data(), product.cols(), product.row(b).data());
          }
        }
        patching.repeat(product.view(), options, begin, result);
      }
      expects_finite_predictions(result, model);
      return result;
    }
  }
  const placed_model<Backbone> placed(exec, model);
  matrix<T> features(std::min(options.batch, anchors.size()), table.cols());
  matrix<T> there;
  auto result = patch_generically<T, I>(
      exec, graph, table, *placed, anchors, options,
      [&](tape<T>&, const message_graph<I>& messages, const node_features<T, I>&, std::size_t begin) {
        features.clear();
        for (std::size_t b = 0; b < messages.targets(); ++b) {
          const auto row = features.row(b);
          if (kind == fixed_patch::mean) {
            std::ranges::copy(mean, row.begin());
          } else if (kind == fixed_patch::copy) {
            table.read_row(static_cast<std::size_t>(anchors[begin + b]), row);
          }
        }
        there = features.copy_on(exec);
        return matrix_view<const T>(there.view().middle_rows(0, messages.targets()));
      });
  expects_finite_predictions(result, model);
  return result;
}

}  // namespace detail

/// Patches nodes with the same fixed patch 0, 1, ..., options.patches times; the
/// logits after each, as patch_nodes() gives them. options.keep_features is not
/// looked at: who asks for fixed features has them.
template <class T, graph_index I, backbone_for<T, I> Backbone>
patched_predictions<T> patch_nodes(const executor& exec, const csr_graph<I>& graph, const feature_table<T, I>& table,
                                   const Backbone& model, fixed_patch kind,
                                   std::type_identity_t<std::span<const I>> anchors,
                                   const patching_options& options = {}) {
  if constexpr (compiled::holds<Backbone>) {
    using known = compiled::built_in_t<Backbone>;
    return compiled::patcher_functions_of<T, I, known>().patch_fixed(exec, graph, table, model, kind, anchors, options);
  } else {
    return detail::patch_fixed_here<T, I>(exec, graph, table, model, kind, anchors, options);
  }
}

}  // namespace graphpatcher
