// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/message_graph.hpp"
#include "workload.hpp"

/// The inputs that workloads share: graphs by name, numbers, anchors. All are the same in every run.
namespace bench {

namespace gp = graphpatcher;
using index = std::int32_t;

/// Cora, Pubmed or Coauthor-CS from the folder of the options. Coauthor-CS is made undirected and gets a split of
/// every node for testing, since it has none. Throws missing_data.
///
/// Of "ogbn-arxiv" graph, classes and split are OGB's, and the features are made: 128 numbers a node, the mean of its
/// class and noise, as embeddings might be. A thousand of its test nodes are for patching. "ogbn-arxiv-sparse" has the
/// same numbers in sparse rows.
gp::dataset<float, index> load(const std::string& name, const run_options& options);

/// The graphs of the workloads on whole graphs: a dataset's, or "rmat-1e6", an R-MAT graph of 2^16 nodes drawn with
/// 10^6 edges. Made once and kept. Throws missing_data.
const gp::csr_graph<index>& graph(const std::string& name, const run_options& options);

/// An R-MAT graph of about this many undirected edges with 16 edges drawn a node; the ids of hubs are small.
gp::csr_graph<index> rmat(std::size_t edges, int threads);

/// Rows that receive from their neighbours alone, no self-loops: the matrix A of y = A x.
gp::message_graph<index> messages_of(const gp::csr_graph<index>& graph);

/// Numbers in [-1, 1), the same for the same seed.
gp::matrix<float> random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed = 1);

/// At most `count` nodes with at least one neighbour, evenly spaced over the ids.
std::vector<index> anchors_of(const gp::csr_graph<index>& graph, std::size_t count);

}  // namespace bench
