// SPDX-License-Identifier: MIT
// Rows by id, segments of rows, rows of sparse features.
#include <cstddef>
#include <span>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/device/operations.hpp"
#include "workload.hpp"

namespace gpu_cost {

namespace {

constexpr std::size_t hidden = 64;

/// Nodes of the batch, as rows of a table.
std::span<const index> batch_ids(const ego_input& input) {
  return input.messages.global_ids;
}

double run_gather(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto table = some_matrix(exec, input.graph.nodes(), hidden);
  const gp::backend::device_array<index> ids(exec, batch_ids(input));
  gp::matrix<float> out(exec, ids.size(), hidden);
  counter.count([&] { gp::backend::gather_rows<float, index>(exec, table.view(), ids, out.view()); });
  return 0;
}

double run_scatter(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto ids = batch_ids(input);
  const auto rows = some_matrix(exec, ids.size(), hidden);
  auto table = some_matrix(exec, input.graph.nodes(), hidden);
  counter.count([&] { gp::backend::scatter_add_rows<float, index>(exec, rows.view(), ids, 1.0f, table.view()); });
  return static_cast<double>(ids.size() * hidden);
}

/// Where the nodes of each ego-graph start: a segment an anchor.
std::vector<index> ego_offsets(const ego_input& input) {
  std::vector<index> offsets;
  for (std::size_t ego = 0; ego <= input.batch.size(); ++ego) {
    offsets.push_back(static_cast<index>(input.batch.begin(ego)));
  }
  return offsets;
}

double run_segment_mean(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const std::vector<index> host_offsets = ego_offsets(input);
  const gp::backend::device_array<index> offsets(exec, host_offsets);
  const auto x = some_matrix(exec, input.batch.nodes.size(), hidden);
  gp::matrix<float> out(exec, input.batch.size(), hidden);
  counter.count([&] { gp::backend::segment_sum<float, index>(exec, offsets, true, x.view(), out.view()); });
  return static_cast<double>((x.rows() + out.rows()) * hidden);
}

/// As a layer takes it: over the sources of a row.
double run_segment_max(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto block = input.first_layer();
  const auto x = some_matrix(exec, block.source_rows(), hidden);
  gp::matrix<float> out(exec, block.rows(), hidden);
  const gp::backend::device_array<index> winners(exec, out.size());
  const auto edges = block.on(exec);
  counter.count([&] {
    gp::backend::segment_max<float, index>(exec, edges.offsets, edges.sources, x.view(), winners.span(), out.view());
  });
  return static_cast<double>(block.edges() * hidden);
}

std::size_t nonzeros_of(const ego_input& input) {
  std::size_t count = 0;
  for (const index id : batch_ids(input)) {
    count += input.features.sparse().row_columns(static_cast<std::size_t>(id)).size();
  }
  return count;
}

/// The first layer's product with the words of the nodes in the batch.
double run_sparse_gemm(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const gp::feature_rows<float, index> x{&input.features, batch_ids(input)};
  const auto w = some_matrix(exec, input.features.cols(), hidden);
  gp::matrix<float> out(exec, x.ids.size(), hidden);
  counter.count([&] { gp::backend::sparse_gemm<float, index>(exec, x, w.view(), out.view()); });
  return 2 * static_cast<double>(nonzeros_of(input) * hidden);
}

double run_sparse_gemm_adjoint(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const gp::feature_rows<float, index> x{&input.features, batch_ids(input)};
  const auto gradient = some_matrix(exec, x.ids.size(), hidden);
  auto dw = some_matrix(exec, input.features.cols(), hidden);
  counter.count([&] { gp::backend::sparse_gemm_adjoint<float, index>(exec, x, gradient.view(), dw.view()); });
  return 2 * static_cast<double>(nonzeros_of(input) * hidden);
}

}  // namespace

std::vector<workload> row_workloads() {
  return {
      {"gather_64", "0", true, false, run_gather},
      {"scatter_64", "N C", true, false, run_scatter},
      {"segment_mean_64", "N C + S C, S segments", true, false, run_segment_mean},
      {"segment_max_64", "E C", true, false, run_segment_max},
      {"sparse_gemm_64", "2 Z C, Z non-zeros", true, true, run_sparse_gemm},
      {"sparse_gemm_adjoint_64", "2 Z C, Z non-zeros", true, true, run_sparse_gemm_adjoint},
  };
}

}  // namespace gpu_cost
