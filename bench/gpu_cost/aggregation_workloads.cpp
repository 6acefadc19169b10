// SPDX-License-Identifier: MIT
// Over the edges of a batch: sparse products and attention.
#include <cstddef>
#include <span>
#include <string>

#include "graphpatcher/core/arena.hpp"
#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/cuda/spmm.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/graph/whole_graph.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "workload.hpp"

namespace gpu_cost {

namespace {

constexpr std::size_t hidden = 64;
constexpr std::size_t heads = 8;

/// Degree scales of a block in device memory.
struct device_scales {
  device_scales(const gp::cuda& exec, const gp::message_block<index>& block, gp::normalisation how)
      : left(exec, scales(block.graph().in_degree, block.rows(), how)),
        right(exec,
              scales(block.graph().out_degree, how == gp::normalisation::symmetric ? block.source_rows() : 0, how)) {}

  gp::spmm_scales<float> view() const { return {.left = left.span(), .right = right.span()}; }

  static std::vector<float> scales(const std::vector<index>& degrees, std::size_t count, gp::normalisation how) {
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; ++i) {
      result[i] = gp::degree_scale<float>(how, degrees[i]);
    }
    return result;
  }

  gp::backend::device_array<float> left, right;
};

double product(std::size_t a, std::size_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

/// Flops of a product of C columns: an addition an edge, or a multiplication too where sources have scales; one a row.
double spmm_flops(const gp::message_block<index>& block, gp::normalisation how, std::size_t cols) {
  const double a_number = how == gp::normalisation::symmetric ? 2 : 1;
  return a_number * product(block.edges(), cols) + product(block.rows(), cols);
}

/// A layer's aggregation. Source j has the row gather[j] of a table of `nodes` rows, or row j without a gather.
double run_spmm(const gp::message_block<index>& block, std::span<const index> gather, std::size_t nodes, meter& counter,
                gp::normalisation how, std::size_t cols) {
  const gp::cuda& exec = counter.exec();
  const device_scales scales(exec, block, how);
  const gp::backend::device_array<index> rows(exec, gather);
  const auto table = some_matrix(exec, nodes, cols);
  gp::matrix<float> out(exec, block.rows(), cols);
  const auto edges = block.on(exec);
  counter.count(
      [&] { gp::backend::spmm<float, index>(exec, edges, scales.view(), rows.span(), table.view(), out.view()); });
  return spmm_flops(block, how, cols);
}

/// Straight from the table of all nodes, rows picked by their global ids.
double run_gather_spmm(const ego_input& input, meter& counter, gp::normalisation how, std::size_t cols) {
  const auto block = input.first_layer();
  const auto gather = std::span(input.messages.global_ids).first(block.source_rows());
  return run_spmm(block, gather, input.graph.nodes(), counter, how, cols);
}

/// No batch: every node of the graph at once.
double run_whole_spmm(const ego_input& input, meter& counter, std::size_t cols) {
  const auto messages = gp::whole_graph(input.graph);
  return run_spmm(messages.all(), {}, input.graph.nodes(), counter, gp::normalisation::symmetric, cols);
}

double run_spmm_adjoint(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto block = input.first_layer();
  const device_scales scales(exec, block, gp::normalisation::symmetric);
  const auto gradient = some_matrix(exec, block.rows(), hidden);
  auto x_gradient = some_matrix(exec, block.source_rows(), hidden);
  const auto edges = block.both_ways_on(exec);
  counter.count(
      [&] { gp::backend::spmm_adjoint<float, index>(exec, edges, scales.view(), gradient.view(), x_gradient.view()); });
  return 2 * product(block.edges(), hidden) + 2 * product(block.source_rows(), hidden);
}

double run_edge_scores(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto block = input.first_layer();
  const auto el = some_matrix(exec, block.source_rows(), heads);
  const auto er = some_matrix(exec, block.rows(), heads);
  gp::matrix<float> out(exec, block.edges(), heads);
  const auto edges = block.on(exec);
  counter.count([&] { gp::backend::edge_scores<float, index>(exec, edges, el.view(), er.view(), 0.2f, out.view()); });
  return 3 * product(block.edges(), heads);
}

double run_edge_softmax(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto block = input.first_layer();
  const auto scores = some_matrix(exec, block.edges(), heads);
  gp::matrix<float> out(exec, block.edges(), heads);
  const auto edges = block.on(exec);
  counter.count([&] { gp::backend::edge_softmax<float, index>(exec, edges.offsets, scores.view(), out.view()); });
  return 5 * product(block.edges(), heads);
}

double run_edge_softmax_adjoint(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto block = input.first_layer();
  const auto alpha = some_matrix(exec, block.edges(), heads);
  const auto gradient = some_matrix(exec, block.edges(), heads);
  auto scores_gradient = some_matrix(exec, block.edges(), heads);
  const auto edges = block.on(exec);
  counter.count([&] {
    gp::backend::edge_softmax_adjoint<float, index>(exec, edges.offsets, alpha.view(), gradient.view(),
                                                    scores_gradient.view());
  });
  return 5 * product(block.edges(), heads);
}

}  // namespace

std::vector<workload> aggregation_workloads() {
  using gp::normalisation;
  std::vector<workload> result;
  for (const auto how : {normalisation::mean, normalisation::symmetric}) {
    const bool symmetric = how == normalisation::symmetric;
    for (const std::size_t cols : {32, 64, 128, 256}) {
      result.push_back(
          {std::string(symmetric ? "spmm_symmetric_" : "spmm_mean_") + std::to_string(cols),
           symmetric ? "2 E C + N C" : "E C + N C", true, false,
           [=](const ego_input& input, meter& counter) { return run_gather_spmm(input, counter, how, cols); }});
    }
  }
  for (const std::size_t cols : {32, 64}) {
    result.push_back({"spmm_whole_graph_" + std::to_string(cols), "2 E C + N C", true, false,
                      [=](const ego_input& input, meter& counter) { return run_whole_spmm(input, counter, cols); }});
  }
  result.push_back({"spmm_adjoint_64", "2 E C + 2 N C", true, false, run_spmm_adjoint});
  result.push_back({"edge_scores_8", "3 E H", true, false, run_edge_scores});
  result.push_back({"edge_softmax_8", "5 E H", true, false, run_edge_softmax});
  result.push_back({"edge_softmax_adjoint_8", "5 E H", true, false, run_edge_softmax_adjoint});
  return result;
}

}  // namespace gpu_cost
