// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/io/text_options.hpp"

namespace graphpatcher {

struct planetoid_options {
  bool normalise = true;         ///< features of a node sum to 1; false leaves them as in the file
  std::size_t validation = 500;  ///< validation nodes of the public split
};

/// Cora, Citeseer or Pubmed as Yang, Cohen and Salakhutdinov ("Revisiting
/// semi-supervised learning with graph embeddings", 2016) distribute them:
/// eight files `ind.NAME.*` in `directory`, which must agree with each other.
///
///   nodes   0 ... allx | after allx: row i of tx is node test.index[i]
///   split   train = the rows of x, validation = the next 500, test = test.index
///
/// The graph is undirected and simple. Nodes after allx that test.index leaves
/// out (Citeseer has 15) keep their edges, have no features and label -1, and
/// are in no part of the split.
template <real_number T = float, graph_index I = std::int32_t>
dataset<T, I> load_planetoid(const std::filesystem::path& directory, const std::string& name,
                             const planetoid_options& options = {});

}  // namespace graphpatcher
