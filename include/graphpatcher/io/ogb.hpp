// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/io/text_options.hpp"

namespace graphpatcher {

/// A node dataset as the Open Graph Benchmark (Hu et al., 2020) unpacks it:
///
///   raw/edge.csv.gz         source,target          raw/node-feat.csv.gz   a line a node
///   raw/node-label.csv.gz   a class a line         raw/num-node-list.csv.gz   optional: one number
///   split/NAME/{train,valid,test}.csv.gz           ids of nodes
///
/// The graph is made undirected and simple, as models on ogbn-arxiv use it.
/// Features are as in the file.
template <real_number T = float, graph_index I = std::int32_t>
dataset<T, I> load_ogb(const std::filesystem::path& folder, const std::string& name, const std::string& split_name,
                       const text_options& options = {});

}  // namespace graphpatcher
