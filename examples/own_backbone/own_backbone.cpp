// SPDX-License-Identifier: MIT
#include <cmath>
#include <graphpatcher/autodiff/gradient_check.hpp>
#include <graphpatcher/eval/evaluate.hpp>
#include <graphpatcher/graph/degree_biased.hpp>
#include <graphpatcher/models/train_backbone.hpp>
#include <iostream>

#include "gin.hpp"

namespace {

/// Whether the tape's gradient of the whole network is that of central differences.
bool gradient_is_right() {
  const auto data = gp::make_degree_biased<double, int>({.nodes = 40,
                                                         .classes = 3,
                                                         .vocabulary = 24,
                                                         .words_per_node = 4,
                                                         .topic_words = 6,
                                                         .train_per_class = 3,
                                                         .validation = 5,
                                                         .test = 5});
  gin_backbone<double> model(data.features.cols(), 4, data.classes, 1);
  const auto graph = gp::whole_graph(data.graph);
  const double difference = gp::gradient_check(model.parameters(), [&](gp::tape<double>& t) {
    const auto logits = model.forward(t, graph, gp::node_features<double, int>{&data.features, &graph, {}});
    return gp::mean_all(gp::multiply(logits, logits));
  });
  return difference < 1e-6;
}

}  // namespace

int main() {
  std::cout << "gradient: " << (gradient_is_right() ? "right" : "wrong") << '\n';

  const gp::cpu exec;
  const auto data = gp::make_degree_biased<float, int>();
  gin_backbone<float> model(data.features.cols(), 32, data.classes, 1);
  const auto history = gp::fit(exec, data, model, {.max_epochs = 200, .patience = 50, .seed = 1});
  std::cout << "GIN on " << data.name << ": " << std::lround(100 * history.validation_accuracy)
            << " % of validation nodes right\n";

  // From here on it is a backbone like any other: frozen, and patched.
  const auto patcher = gp::train_patcher(
      exec, data, model,
      {.hidden = 32, .learning_rate = 1e-3, .max_iterations = 120, .patches = 2, .seed = 1, .quiet = true});
  const auto result = gp::evaluate(exec, data, model, patcher, {.patches = 2});
  for (const auto& row : result.run().by_patches) {
    std::cout << row.patches << " patches: " << std::lround(row.overall) << " % of test nodes right\n";
  }
}
