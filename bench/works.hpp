// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "support/work.hpp"

/// The works of each file beside this one.
namespace bench {

std::vector<work> activation_works(const run_options& options);
std::vector<work> corrupted_logits_works(const run_options& options);
std::vector<work> dropout_works(const run_options& options);
std::vector<work> edge_softmax_works(const run_options& options);
std::vector<work> ego_batch_works(const run_options& options);
std::vector<work> elementwise_works(const run_options& options);
std::vector<work> gather_works(const run_options& options);
std::vector<work> gemm_works(const run_options& options);
std::vector<work> loss_works(const run_options& options);
std::vector<work> norm_works(const run_options& options);
std::vector<work> optimizer_works(const run_options& options);
std::vector<work> patcher_works(const run_options& options);
std::vector<work> read_works(const run_options& options);
std::vector<work> segment_reduce_works(const run_options& options);
std::vector<work> sparse_gemm_works(const run_options& options);
std::vector<work> spmm_works(const run_options& options);

}  // namespace bench
