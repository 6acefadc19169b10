// SPDX-License-Identifier: MIT
#include <cmath>
#include <graphpatcher/autodiff/gradient_check.hpp>
#include <graphpatcher/eval/evaluate.hpp>
#include <graphpatcher/graph/degree_biased.hpp>
#include <graphpatcher/models/train_backbone.hpp>
#include <graphpatcher/patcher/check_rows.hpp>
#include <iostream>

#include "gin.hpp"

namespace {

static_assert(gp::backbone<gin_backbone<float>>);
static_assert(gp::has_rows<gin_backbone<float>>);

const gp::random_stream start(1, gp::purpose::initialisation);

/// Small, and in double: what is right is right to many digits.
gp::dataset<double, int> small_data() {
  return gp::make_degree_biased<double, int>({.nodes = 40,
                                              .classes = 3,
                                              .vocabulary = 24,
                                              .words_per_node = 4,
                                              .topic_words = 6,
                                              .train_per_class = 3,
                                              .validation = 5,
                                              .test = 5});
}

/// Whether the tape's gradient of the whole network is that of central differences.
bool gradient_is_right(const gp::dataset<double, int>& data) {
  gin_backbone<double> model(data.features.cols(), 4, data.classes, start);
  const auto graph = gp::whole_graph(data.graph);
  const double difference = gp::gradient_check(model.parameters(), [&](gp::tape<double>& t) {
    const auto logits = model.forward(t, graph, gp::node_features<double, int>{&data.features, &graph, {}});
    return gp::mean_all(gp::multiply(logits, logits));
  });
  return difference < 1e-6;
}

/// Whether its rows give what forward() gives, and the gradients of that.
bool rows_are_right(const gp::dataset<double, int>& data) {
  const gin_backbone<double> model(data.features.cols(), 4, data.classes, start);
  const auto difference = gp::check_rows(model, data);
  return difference.answers < 1e-9 && difference.gradients < 1e-9;
}

}  // namespace

int main() {
  const auto small = small_data();
  std::cout << "gradient: " << (gradient_is_right(small) ? "right" : "wrong") << '\n';
  std::cout << "rows: " << (rows_are_right(small) ? "right" : "wrong") << '\n';

  const gp::cpu exec;
  const auto data = gp::make_degree_biased<float, int>();
  gin_backbone<float> model(data.features.cols(), 32, data.classes, start);
  const auto history = gp::fit(exec, data, model, {.max_epochs = 200, .patience = 50, .seed = 1});
  std::cout << "GIN on " << data.name << ": " << std::lround(100 * history.validation_accuracy)
            << " % of validation nodes right\n";

  // From here on it is a backbone like any other: frozen, and patched.
  const auto patcher = gp::train_patcher(
      exec, data, model,
      {.hidden = 32, .learning_rate = 1e-3, .max_iterations = 120, .patches = 2, .seed = 1, .quiet = true});
  std::cout << "patched on the " << gp::word_of(patcher.path) << " path\n";
  const auto result = gp::evaluate(exec, data, model, patcher, {.patches = 2});
  for (const auto& row : result.run().by_patches) {
    std::cout << row.patches << " patches: " << std::lround(row.overall) << " % of test nodes right\n";
  }
}
