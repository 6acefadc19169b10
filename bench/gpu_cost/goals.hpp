// SPDX-License-Identifier: MIT
// What the kernels have to reach: the one table that --check and the test suite go by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "costs.hpp"

namespace gpu_cost {

struct goal {
  std::string_view workloads;  // those whose names start like this
  double sector_efficiency;    // at least; 0: none is asked for
  bool no_bank_conflicts;
};

inline constexpr goal goals[] = {
    // gather-SpMM at widths 32, 64, 128, 256
    {"spmm_mean_", 0.85, true},
    {"spmm_symmetric_", 0.85, true},
    // the fused kernel
    {"corrupted_logits_", 0.70, false},
    // reductions
    {"segment_", 0, true},
    {"edge_softmax_", 0, true},
    {"column_sums_", 0, true},
    {"sum_all_", 0, true},
    {"layer_norm_", 0, true},
    {"batch_moments_", 0, true},
    {"softmax", 0, true},
    {"kl_divergence", 0, true},
};

/// What a measurement misses, a sentence each; empty: nothing.
std::vector<std::string> missed_goals(const measurement& what);

}  // namespace gpu_cost
