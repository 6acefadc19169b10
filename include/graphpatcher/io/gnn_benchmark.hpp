// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "graphpatcher/io/npz_arrays.hpp"
#include "graphpatcher/io/split_builder.hpp"
#include "graphpatcher/io/splits.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"

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
template <class T = float, graph_index I = std::int32_t>
dataset<T, I> load_gnn_benchmark(const std::filesystem::path& path, const std::string& name,
                                 const split_options& split = {}, const progress_options& display = {}) {
  const npz_dataset_file file(path, display);
  dataset<T, I> result;
  result.name = name;
  std::vector<edge<I>> edges;
  {
    const auto adjacency = file.csr<float, I>("adj");
    if (adjacency.rows() != adjacency.cols() || adjacency.rows() == 0) {
      file.fail("adj_shape", text("expected as many rows as columns and at least one, got ", adjacency.rows(), " x ",
                                  adjacency.cols()));
    }
    edges.reserve(adjacency.nonzeros());
    for (std::size_t v = 0; v < adjacency.rows(); ++v) {
      const auto neighbors = adjacency.row_columns(v);
      for (std::size_t i = 0; i < neighbors.size(); ++i) {
        if (adjacency.row_values(v)[i] != 0) {  // SciPy may store zeros, which are no edges
          edges.push_back({static_cast<I>(v), neighbors[i]});
        }
      }
    }
    result.graph = build_graph<I>(adjacency.rows(), edges);
  }
  const bool is_dense = !file.contains("attr_data") && file.contains("attr_matrix");
  result.features = is_dense ? file.dense<T, I>("attr_matrix") : file.csr<T, I>("attr");
  if (result.features.rows() != result.nodes()) {
    file.fail(is_dense ? "attr_matrix" : "attr_shape",
              text("expected features of ", result.nodes(), " nodes, got ", result.features.rows()));
  }
  result.labels = file.labels<I>("labels", result.nodes());
  result.classes = count_classes(result.labels);
  result.split = random_split(result.labels, split);
  result.check();
  return result;
}

}  // namespace graphpatcher
