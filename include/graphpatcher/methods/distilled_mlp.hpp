// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/autodiff/loss_functions.hpp"
#include "graphpatcher/methods/answers_so_far.hpp"
#include "graphpatcher/models/gcn.hpp"

/// An MLP on features that learns to say what the backbone says, for nodes with next to no neighbours. It is a GCN on
/// the graph without its edges:
///
///   loss = mean over all nodes v of KL(softmax(f(G))[v], softmax(mlp(x_v)))
namespace graphpatcher {

struct distilled_mlp_options {
  std::size_t hidden = 64;
  double dropout = 0.5;
  double learning_rate = 0.01;
  std::size_t max_epochs = 300;
  std::size_t patience = 50;
};

/// Logits of all nodes by an MLP that was taught `taught`, probabilities of all nodes.
template <class T, graph_index I>
matrix<T> distilled_mlp_answers(const executor& exec, const dataset<T, I>& data, const matrix<T>& taught,
                                std::uint64_t seed, fit_options fitting, const distilled_mlp_options& how = {}) {
  auto alone = data;
  alone.graph = csr_graph<I>(std::vector<I>(data.nodes() + 1, I(0)), {});
  const gcn_config layers{.hidden = how.hidden, .dropout = how.dropout, .seed = seed};
  some_backbone<T, I> mlp = gcn_backbone<T>(layers, data.features.cols(), data.classes);
  fitting.learning_rate = how.learning_rate;
  fitting.max_epochs = std::min(fitting.max_epochs, how.max_epochs);
  fitting.patience = std::min(fitting.patience, how.patience);
  fitting.seed = seed;
  const auto nodes = whole_graph(alone.graph);
  const auto target = taught.copy_on(exec);
  const T share = T(1) / static_cast<T>(data.nodes());
  const auto loss = [&](tape<T>& t, const some_backbone<T, I>& now, std::size_t) {
    const auto logits = now.forward(t, nodes, node_features<T, I>{&alone.features, &nodes, {}});
    return kl_divergence(target.view(), logits, T(1e-12), share);
  };
  fit(exec, alone, mlp, loss, fitting);
  return predict(exec, mlp, alone.graph, alone.features);
}

/// Its answers for nodes of up to 0, 1 or 2 neighbours, or for none: what is likeliest on validation nodes, each at its
/// own temperature.
struct distilled_mlp {
  static constexpr method_info info{
      "mlp", "an MLP on features, taught by the backbone, for nodes of up to two neighbours", method_role::control};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    const cpu exec = run.exec.host();
    const auto own = answers_so_far(run);
    const auto logits = distilled_mlp_answers(run.exec, *run.data, own, run.seed, run.fit);
    likeliest<T, I> choice(*run.data);
    choice.offer(own, "no");
    const auto taught = probabilities_of(exec, logits);
    const auto by_features = sharpen(exec, taught, choice.temperature_of(taught));
    auto mixed = sharpen(exec, own, choice.temperature_of(own));
    for (std::size_t most = 0; most <= 2; ++most) {
      for (std::size_t v = 0; v < run.data->nodes(); ++v) {
        if (run.data->graph.degree(v) == most) {
          std::ranges::copy(by_features.row(v), mixed.row(v).begin());
        }
      }
      choice.offer(mixed, text("degree <= ", most));
    }
    run.settings.set("mlp", choice.name());
    run.answer_with(choice.logits());
  }
};

}  // namespace graphpatcher
