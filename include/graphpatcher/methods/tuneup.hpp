// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "graphpatcher/graph/drop_edges.hpp"
#include "graphpatcher/methods/method.hpp"

/// TuneUp (Hu et al., 2022): a trained backbone is trained further on graphs
/// that lost edges, so that nodes with many neighbours pose as nodes with few and
/// keep their labels; its own predictions are labels for the others.
///
///   loss = sum over taught nodes v of w_v (-log softmax(f(G_epoch))[v, y'_v]) / sum of w_v
///
/// G_epoch drops every edge with probability `drop`, both directions together.
/// Taught are the training nodes, y' their labels, and every other node that has
/// a neighbour, y' = argmax f(G) before this stage, computed once.
namespace graphpatcher {

struct tuneup_options {
  double drop = 0.5;
  double label_weight = 1;         ///< w of a training node; of the others it is 1
  bool keep_base_if_worse = true;  ///< the weights before this stage may be the best
};

/// Nodes without a label of their own, and what the base model says they are.
template <graph_index I>
struct pseudo_labels {
  std::vector<I> nodes;
  std::vector<I> labels;
};

/// Of the nodes that are not for training and have a neighbour; row v of the logits belongs to node v.
template <class T, graph_index I>
pseudo_labels<I> make_pseudo_labels(const dataset<T, I>& data, matrix_view<const T> logits) {
  std::vector<char> labelled(data.nodes(), 0);
  for (const I v : data.split.train) {
    labelled[static_cast<std::size_t>(v)] = 1;
  }
  pseudo_labels<I> result;
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    if (labelled[v] == 0 && data.graph.degree(v) > 0) {
      const auto row = logits.row(v);
      result.nodes.push_back(static_cast<I>(v));
      result.labels.push_back(static_cast<I>(std::ranges::max_element(row) - row.begin()));
    }
  }
  return result;
}

/// The graph of one epoch.
template <graph_index I>
csr_graph<I> tuneup_graph(const csr_graph<I>& graph, double drop, std::uint64_t seed, std::size_t epoch) {
  return drop_edges(graph, drop, random_stream(seed, purpose::edges).fork(epoch));
}

/// The second stage, on a model that was trained as usual: a fresh Adam, and of
/// epochs with equal validation accuracy the last is kept. best_epoch 0: nothing
/// was better than the model as it came.
template <class T, graph_index I, backbone_for<T, I> Model>
training_history fit_tuneup(const executor& exec, const dataset<T, I>& data, Model& model,
                            const tuneup_options& how = {}, fit_options options = {}) {
  data.check();
  expects(how.label_weight >= 0 && std::isfinite(how.label_weight), "tuneup: expected a weight of labels >= 0, got ",
          how.label_weight);
  options.judge_start = how.keep_base_if_worse;
  options.keep_equals = true;
  const auto labels = data.labels_of(data.split.train);
  const auto pseudo = make_pseudo_labels<T, I>(data, predict(exec, model, data.graph, data.features));
  const double known = how.label_weight * static_cast<double>(labels.size());
  const double share = known / (known + static_cast<double>(pseudo.nodes.size()));
  message_graph<I> messages;
  const auto loss = [&](tape<T>& t, const Model& now, std::size_t epoch) {
    messages = whole_graph(tuneup_graph(data.graph, how.drop, options.seed, epoch));
    const auto logits = now.forward(t, messages, node_features<T, I>{&data.features, &messages, {}});
    const auto of = [&](const std::vector<I>& nodes, const std::vector<I>& classes, double weight) {
      return scale(cross_entropy(logits, std::span<const I>(nodes), std::span<const I>(classes)),
                   static_cast<T>(weight));
    };
    const auto taught = of(data.split.train, labels, pseudo.nodes.empty() ? 1 : share);
    return pseudo.nodes.empty() ? taught : add(taught, of(pseudo.nodes, pseudo.labels, 1 - share));
  };
  return fit(exec, data, model, loss, options);
}

struct tuneup {
  static constexpr method_info info{"tuneup",
                                    "the trained backbone trained further on graphs that lost half their edges",
                                    method_role::rival, "TuneUp"};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    auto fitting = run.fit;
    fitting.seed = run.seed;
    run.kept_patcher = nullptr;  // those of another backbone
    const auto history = fit_tuneup(run.exec, *run.data, run.backbone, {}, fitting);
    run.settings.set("dropped_edges", tuneup_options{}.drop);
    run.settings.set("best_epoch_of_second_stage", history.best_epoch);  // 0: it changed nothing
    run.iterations = history.epochs();
    run.answer_as_backbone();
  }
};

}  // namespace graphpatcher
