// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/graph/drop_edges.hpp"
#include "graphpatcher/methods/method.hpp"

/// DropEdge (Rong et al., ICLR 2020): every epoch trains on a random part of the
/// edges, all answers are given on the whole graph.
///
///   loss = mean over training nodes v of -log softmax(f(G_epoch))[v, y_v]
///
/// G_epoch has floor(keep * E) of the E stored entries, the two directions of an
/// edge drawn apart; loops are added afterwards, and both sides of a
/// normalisation take the degrees of its rows. All layers see the same part.
namespace graphpatcher {

struct dropedge_options {
  /// Shares of the entries to keep; of several the one with the best validation
  /// accuracy is taken. Empty: those of dropedge_shares().
  std::vector<double> keep{};
  edge_pairs pairs = edge_pairs::independent;
};

/// What the authors found for the citation graphs; for others what to choose among.
inline std::vector<double> dropedge_shares(std::string_view dataset) {
  if (dataset == "cora") {
    return {0.4};
  }
  if (dataset == "citeseer") {
    return {0.2};
  }
  return dataset == "pubmed" ? std::vector{0.7} : std::vector{0.2, 0.5, 0.8};
}

/// The graph of one epoch.
template <graph_index I>
csr_graph<I> dropedge_graph(const csr_graph<I>& graph, double keep, edge_pairs pairs, std::uint64_t seed,
                            std::size_t epoch) {
  return keep_edges(graph, keep, pairs, random_stream(seed, purpose::edges).fork(epoch));
}

struct dropedge_history : training_history {
  double keep = 0;  ///< the share that was taken
};

/// Trains a fresh model.
template <class T, graph_index I, backbone_for<T, I> Model>
dropedge_history fit_dropedge(const executor& exec, const dataset<T, I>& data, Model& model,
                              const dropedge_options& how = {}, const fit_options& options = {}) {
  data.check();
  const std::span<const I> nodes(data.split.train);
  const auto labels = data.labels_of(nodes);
  std::vector<I> rows(nodes.begin(), nodes.end());
  if (!options.whole_graph) {
    std::iota(rows.begin(), rows.end(), I(0));
  }
  const auto start = model;
  dropedge_history best;
  best.validation_accuracy = -1;
  for (const double keep : how.keep.empty() ? dropedge_shares(data.name) : how.keep) {
    message_graph<I> messages;
    auto candidate = start;
    const auto loss = [&](tape<T>& t, const Model& now, std::size_t epoch) {
      const auto part = dropedge_graph(data.graph, keep, how.pairs, options.seed, epoch);
      messages = options.whole_graph ? whole_graph(part) : neighborhood(part, nodes, now.hops());
      messages.out_degree = messages.in_degree;
      const auto logits = now.forward(t, messages, node_features<T, I>{&data.features, &messages, {}});
      return cross_entropy(logits, std::span<const I>(rows), std::span<const I>(labels));
    };
    auto history = fit(exec, data, candidate, loss, options);
    if (history.validation_accuracy > best.validation_accuracy) {
      best = {std::move(history), keep};
      model = candidate;
    }
  }
  return best;
}

struct dropedge {
  static constexpr method_info info{"dropedge", "the backbone trained on another random part of the edges every epoch",
                                    method_role::rival, "DropEdge"};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    auto fitting = run.fit;
    fitting.seed = run.seed;
    run.backbone = run.untrained;
    run.kept_patcher = nullptr;  // those of another backbone
    const auto history = fit_dropedge(run.exec, *run.data, run.backbone, {}, fitting);
    run.settings.set("kept_edges", history.keep);
    run.iterations = history.epochs();
    run.answer_as_backbone();
  }
};

}  // namespace graphpatcher
