// SPDX-License-Identifier: MIT
// The graphs that workloads run on, and the batch of ego-graphs that is taken from each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/ego_batch.hpp"
#include "graphpatcher/graph/feature_table.hpp"
#include "graphpatcher/graph/message_graph.hpp"

namespace gpu_cost {

namespace gp = graphpatcher;
using index = std::int32_t;

/// A graph and the two-hop ego-graphs of some of its nodes, as training has them.
struct ego_input {
  std::string name;
  gp::csr_graph<index> graph;
  gp::feature_table<float, index> features;  // without rows: the graph has none
  std::size_t classes = 0;
  std::vector<index> anchors;
  gp::ego_batch<index> batch;
  gp::message_graph<index> messages;  // the batch, block-diagonal, nothing dropped

  /// What the first layer of a two-layer model adds up: the rows within one hop of the anchors.
  gp::message_block<index> first_layer() const { return messages.towards(1); }
};

struct input_options {
  std::optional<std::filesystem::path> data;  // folder of the public datasets
  std::size_t anchors = 64;                   // at even distances in the order of ids
};

struct standard_inputs {
  std::vector<ego_input> graphs;      // a small one with features, and a larger one with hubs
  std::vector<std::string> messages;  // which datasets were skipped, and what stands in
};

/// Cora and Pubmed if their files are there; otherwise the embedded dataset and an R-MAT graph of their sizes.
standard_inputs make_inputs(const input_options& options);

}  // namespace gpu_cost
