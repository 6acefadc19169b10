// SPDX-License-Identifier: MIT
#include <graphpatcher/graphpatcher.hpp>
#include <iostream>

namespace gp = graphpatcher;

int main() {
  const gp::cpu exec;  // every core; gp::cpu{.threads = 4} for four

  // A graph with features, labels and a split. Real data: gp::load_dataset("cora", {.root = "data"}).
  const auto data = gp::make_degree_biased<float, int>();

  // Any GNN can be the backbone. This one is a GCN of two layers.
  const auto backbone = gp::train_backbone(exec, data, gp::gcn_config{.hidden = 64, .seed = 1});

  // The patcher learns to make virtual neighbours for it; the backbone stays as it is.
  const auto patcher = gp::train_patcher(exec, data, backbone, {.hidden = 128, .seed = 1});

  // Accuracy on nodes of low degree, of high degree and on all, with 0 to 5 patches.
  const auto result = gp::evaluate(exec, data, backbone, patcher, {.patches = 5});
  std::cout << result.table();
  result.write_html("report.html");
}
