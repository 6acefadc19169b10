// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"
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

/// What load_graph_files() found, for people to compare with what they meant.
struct graph_files_summary {
  std::size_t nodes = 0;
  std::size_t isolated = 0;  ///< nodes without an edge
  std::size_t edges = 0;     ///< of the graph
  std::size_t repeated = 0;  ///< listed again, and merged
  std::size_t loops = 0;     ///< from a node to itself, and left out
  std::size_t columns = 0;   ///< of the features
  bool dense = false;        ///< how they are stored
  std::size_t classes = 0;
  std::size_t unlabelled = 0;  ///< nodes without a class
  std::size_t train = 0, validation = 0, test = 0;
  bool random_split = false;

  /// As a line: "300 nodes, 5 isolated; 447 edges, 20 repeated, 2 loops left out; 128 dense columns; 3 classes; split
  /// 30/30/240 random".
  std::string line() const;
};

/// A graph of one's own:
///
///   const auto data = load_graph_files({.edges = "edges.csv", .features = "x.npy", .labels = "y.csv"});
///
/// There are as many nodes as rows of features. What doesn't fit is a
/// format_error with the file and the line. `summary`, if it is given, is filled.
template <real_number T = float, graph_index I = std::int32_t>
dataset<T, I> load_graph_files(const graph_files& files, graph_files_summary* summary = nullptr);

}  // namespace graphpatcher
