// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "workload.hpp"

namespace bench {

/// What a workload costs on one graph.
struct scale_cost {
  double seconds_per_anchor = 0;  ///< median over batches
  std::size_t anchors = 0;        ///< in all
  std::size_t peak_bytes = 0;     ///< of the process, while it ran
  std::size_t own_bytes = 0;      ///< inputs and results of this workload alone, such as the logits of every node
};

struct scale_point {
  std::size_t nodes = 0;
  std::size_t edges = 0;  ///< undirected
  std::size_t largest_degree = 0;
  double two_hop_edges = 0;     ///< mean over anchors: the degrees of their neighbours added up
  std::size_t data_bytes = 0;   ///< graph, features, labels
  std::size_t model_bytes = 0;  ///< weights, gradients, moments
  scale_cost ego_batch;         ///< batches of 64 ego-graphs, built
  scale_cost ego_graphs;        ///< corrupted ego-graphs to logits, 10 samples an anchor
  scale_cost train_iteration;   ///< hidden 128, batch 64
  scale_cost patching;          ///< 5 patches
};

/// Peak memory over the size of the data, the models, and what the workload takes and gives.
inline double memory_share(const scale_point& p, const scale_cost& cost) {
  return static_cast<double>(cost.peak_bytes) / static_cast<double>(p.data_bytes + p.model_bytes + cost.own_bytes);
}

/// An R-MAT graph of 2^scale nodes and 6 edges a node, with 16 of 256 features a node. `patched`: nodes to patch, 0 for
/// every node.
scale_point run_scale(int scale, std::size_t patched, const run_options& options);

/// A training iteration whose batch has a node of degree 10^5, and the same without it.
struct hub_cost {
  std::size_t degree = 0;
  double seconds_with = 0;
  double seconds_without = 0;
};
hub_cost run_hub(const run_options& options);

/// Peak memory of the process while a patcher of 1024 hidden units is trained on Cora. Throws missing_data.
std::size_t training_peak_on_cora(const run_options& options);

}  // namespace bench
