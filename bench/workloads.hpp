// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "support/workload.hpp"

/// The workloads of each file beside this one.
namespace bench {

std::vector<workload> activation_workloads(const run_options& options);
std::vector<workload> dropout_workloads(const run_options& options);
std::vector<workload> edge_softmax_workloads(const run_options& options);
std::vector<workload> ego_batch_workloads(const run_options& options);
std::vector<workload> ego_graphs_workloads(const run_options& options);
std::vector<workload> elementwise_workloads(const run_options& options);
std::vector<workload> gather_workloads(const run_options& options);
std::vector<workload> gemm_workloads(const run_options& options);
std::vector<workload> loss_workloads(const run_options& options);
std::vector<workload> norm_workloads(const run_options& options);
std::vector<workload> optimizer_workloads(const run_options& options);
std::vector<workload> patcher_workloads(const run_options& options);
std::vector<workload> read_workloads(const run_options& options);
std::vector<workload> segment_reduce_workloads(const run_options& options);
std::vector<workload> sparse_gemm_workloads(const run_options& options);
std::vector<workload> spmm_workloads(const run_options& options);
std::vector<workload> weighted_workloads(const run_options& options);

}  // namespace bench
