// SPDX-License-Identifier: MIT
#include <cmath>
#include <graphpatcher/autodiff/functions.hpp>
#include <graphpatcher/graph/degree_biased.hpp>
#include <graphpatcher/models/accuracy.hpp>
#include <graphpatcher/models/gcn.hpp>
#include <graphpatcher/nn/optimizer.hpp>
#include <graphpatcher/nn/training_loop.hpp>
#include <iostream>

namespace gp = graphpatcher;

using dataset = gp::dataset<float, int>;
using gcn = gp::gcn_backbone<float>;

/// Cross-entropy where labels are known, and everywhere: two answers under different dropout are to agree (the
/// consistency term of many semi-supervised methods),
///   weight * mean over nodes and classes of (p1 - p2)^2.
struct consistency {
  using scalar_type = float;

  const dataset& data;
  gcn& model;
  float weight;
  gp::message_graph<int> graph = gp::whole_graph(data.graph);
  std::vector<int> labels = data.labels_of(data.split.train);
  gp::adam<float> adam{model.parameters(), {.learning_rate = 1e-2, .weight_decay = 5e-4}};

  gp::parameter_list<float> parameters() { return model.parameters(); }
  gp::adam<float>& optimizer() { return adam; }

  gp::variable<float> loss(gp::tape<float>& t, std::size_t) {
    const gp::node_features<float, int> x{&data.features, &graph, {}};
    const auto first = model.forward(t, graph, x);
    const auto second = model.forward(t, graph, x);
    const auto apart = gp::subtract(gp::softmax(first), gp::softmax(second));
    return gp::add(gp::cross_entropy(first, std::span<const int>(data.split.train), std::span<const int>(labels)),
                   gp::scale(gp::mean_all(gp::multiply(apart, apart)), weight));
  }
};

double share_right(const gp::cpu& exec, const dataset& data, const gcn& model, const std::vector<int>& nodes) {
  const auto logits = gp::predict(exec, model, data.graph, data.features);
  return gp::share_right<float, int>(logits, nodes, data.labels_of(nodes));
}

int main() {
  const gp::cpu exec;
  const auto data = gp::make_degree_biased<float, int>({.train_per_class = 3});
  for (const float weight : {0.0f, 200.0f}) {
    gcn model({.hidden = 32, .seed = 1}, data.features.cols(), data.classes);
    consistency objective{data, model, weight};
    const auto done = gp::training_loop(
        exec, objective, gp::keep_best(model, [&] { return share_right(exec, data, model, data.split.validation); }),
        {.max_iterations = 300, .patience = 50, .seed = 1});
    std::cout << "weight " << weight << ": best after " << done.best_iteration << " iterations, "
              << std::lround(100 * share_right(exec, data, model, data.split.test)) << " % of test nodes right\n";
  }
}
