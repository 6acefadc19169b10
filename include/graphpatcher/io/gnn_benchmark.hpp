// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/splits.hpp"
#include "graphpatcher/io/text_options.hpp"

namespace graphpatcher {

/// A dataset in the layout of Shchur et al. ("Pitfalls of graph neural network
/// evaluation", 2018), such as Amazon-Photo and Coauthor-CS:
///
///   adj_data, adj_indices, adj_indptr, adj_shape     the graph, SciPy CSR
///   attr_data, attr_indices, ... or attr_matrix      the features
///   labels                                           the classes
///
/// The graph is made undirected and simple; all nodes are kept, also those
/// outside the largest component. The files have no split: it is random, by
/// `split.seed`. Features are as in the file.
template <real_number T = float, graph_index I = std::int32_t>
dataset<T, I> load_gnn_benchmark(const std::filesystem::path& path, const std::string& name,
                                 const split_options& split = {}, const progress_options& display = {});

}  // namespace graphpatcher
