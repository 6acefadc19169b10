// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/dataset_summary.hpp"
#include "graphpatcher/graph/splits.hpp"
#include "graphpatcher/io/text_options.hpp"

namespace graphpatcher {

/// The files of a graph of one's own. Text may be packed (.csv.gz); `.npy` in
/// the place of a csv or tsv is NumPy's format. Row i of the features and labels
/// is node i.
struct graph_files {
  std::filesystem::path edges;     ///< csv, tsv or MatrixMarket (mtx): see edge_list
  std::filesystem::path features;  ///< csv, tsv or npy: a row a node
  std::filesystem::path labels;    ///< csv or npy: a class a node, -1 = unknown
  /// Ids of nodes, csv or npy. All three, or none: then the split is random.
  std::filesystem::path train{};
  std::filesystem::path validation{};
  std::filesystem::path test{};
  split_options split{};  ///< of a random split
  std::string name = "graph";
  std::int64_t first_id = 0;  ///< what the edge list and the split call the first node
  text_header header = text_header::automatic;
  text_ids ids = text_ids::automatic;  ///< whether features, and classes as text, begin with the node's id
  bool normalise = false;              ///< features of a node sum to 1
  build_options build{};               ///< undirected, merged and without loops unless told otherwise
  text_options text{};
};

/// A graph of one's own:
///
///   const auto data = load_graph_files({.edges = "edges.csv", .features = "x.npy", .labels = "y.csv"});
///
/// There are as many nodes as rows of features. What doesn't fit is a
/// format_error with the file and the line. `summary`, if it is given, is filled, with
/// what was left out.
template <real_number T = float, graph_index I = std::int32_t>
dataset<T, I> load_graph_files(const graph_files& files, dataset_summary* summary = nullptr);

}  // namespace graphpatcher
