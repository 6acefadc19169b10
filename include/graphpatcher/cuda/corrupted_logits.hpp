// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/operands/frozen_gcn.hpp"

/// What corrupted_logits() is on a GPU (kernels/corrupted_logits.cu): thousands of
/// corrupted ego-graphs in one launch, from random bits to the backbone's answers. A
/// second launch follows if the graph has hubs, nodes of more than 128 neighbours, and
/// a small one if the mean over samples is wanted. Equations in
/// ops/corrupted_logits.hpp. Nothing waits for the device.
namespace graphpatcher::backend {

/// What one call launches and takes from the executor's memory pool besides
/// its arguments.
struct corrupted_logits_plan {
  std::size_t pairs = 0;            ///< anchors x samples: (ego-graph, mask) pairs
  std::size_t pairs_a_block = 0;    ///< one a warp; those of hubs are left to the second launch
  std::size_t blocks = 0;           ///< grid of the launch that computes them; that for hubs has the same
  std::size_t passes = 0;           ///< times a pair walks its edges: hidden columns over columns in registers
  std::size_t workspace_bytes = 0;  ///< ids of the anchors, and probabilities if only their mean is wanted
};

template <class T, class S, graph_index I>
corrupted_logits_plan plan_corrupted_logits(const cuda& exec, const frozen_gcn<T, S>& model, std::size_t anchors,
                                            std::size_t samples, const corrupted_answers<T>& answers);

}  // namespace graphpatcher::backend
