// SPDX-License-Identifier: MIT
// Ego-graphs: how they are made, how they are corrupted, and a frozen model's answers on corrupted ones.
#include <cstddef>

#include "graphpatcher/cuda/corrupted_logits.hpp"
#include "graphpatcher/cuda/corruption.hpp"
#include "graphpatcher/cuda/ego_graphs.hpp"
#include "graphpatcher/device/corrupted_logits.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "workload.hpp"

namespace gpu_cost {

namespace {

constexpr std::size_t hidden = 64;
const gp::corruption_options corruption{.strength = 0.3, .samples = 10, .seed = 1};

double run_ego_batch(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const gp::device_graph<index> graph(exec, input.graph);
  counter.count([&] { gp::make_ego_batch<index>(exec, graph, input.anchors); });
  return 0;
}

double run_corruption(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const gp::device_graph<index> graph(exec, input.graph);
  const auto batch = gp::make_ego_batch<index>(exec, graph, input.anchors);
  counter.count([&] { gp::corrupt<index>(exec, batch, corruption); });
  return 0;
}

/// Rows R and edges M of the first layer on all corrupted ego-graphs, counted on graphs that are built for it.
double fused_flops(const ego_input& input) {
  const gp::cpu host{1};
  const auto masks = gp::corrupt(host, input.batch, corruption);
  const auto targets = gp::corrupted_egos(input.batch, masks);
  const auto graph = gp::materialise<index>(host, input.batch, std::span<const gp::masked_ego>(targets));
  const auto block = graph.towards(1);
  const auto rows = static_cast<double>(block.rows());
  const auto edges = static_cast<double>(block.edges());
  const auto pairs = static_cast<double>(targets.size());
  const auto classes = static_cast<double>(input.classes);
  return hidden * (2 * edges + 5 * rows + 2 * pairs * classes) + 5 * pairs * classes;
}

double run_corrupted_logits(const ego_input& input, meter& counter, gp::normalisation how) {
  const gp::cuda& exec = counter.exec();
  const gp::device_graph<index> graph(exec, input.graph);
  const auto projected = some_matrix(exec, input.graph.nodes(), hidden);
  const auto hidden_bias = some_matrix(exec, 1, hidden);
  const auto weight = some_matrix(exec, hidden, input.classes);
  const auto bias = some_matrix(exec, 1, input.classes);
  const gp::frozen_gcn<float> model{projected.view(), row_of(hidden_bias), weight.view(), row_of(bias), how};
  gp::matrix<float> probabilities(exec, input.anchors.size() * corruption.samples, input.classes);
  counter.count([&] {
    gp::backend::corrupted_logits<float, float, index>(exec, graph.view(), model, input.anchors, corruption,
                                                       {.probabilities = probabilities.view()});
  });
  return fused_flops(input);
}

}  // namespace

std::vector<workload> ego_workloads() {
  const auto corrupted = [](gp::normalisation how) {
    return [=](const ego_input& input, meter& counter) { return run_corrupted_logits(input, counter, how); };
  };
  const char* const formula =
      "C (2 M + 5 R + 2 P K) + 5 P K; M edges and R rows of P (anchor, sample) pairs, K classes";
  return {
      {"ego_batch", "0", true, false, run_ego_batch},
      {"corruption", "0", true, false, run_corruption},
      {"corrupted_logits_mean", formula, true, false, corrupted(gp::normalisation::mean)},
      {"corrupted_logits_symmetric", formula, true, false, corrupted(gp::normalisation::symmetric)},
  };
}

}  // namespace gpu_cost
