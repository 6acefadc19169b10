// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "graphpatcher/io/npz_arrays.hpp"
#include "graphpatcher/io/split_builder.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

/// A dataset of Platonov et al. ("A critical look at the evaluation of GNNs
/// under heterophily", 2023), such as Roman-Empire:
///
///   node_features  nodes x features          node_labels  nodes
///   edges          edges x 2                 train_masks, val_masks, test_masks  splits x nodes
///
/// The graph is made undirected and simple; `split_index` picks one of the
/// splits. Features are as in the file.
template <class T = float, graph_index I = std::int32_t>
dataset<T, I> load_heterophilous(const std::filesystem::path& path, const std::string& name,
                                 std::size_t split_index = 0, const progress_options& display = {}) {
  const npz_dataset_file file(path, display);
  dataset<T, I> result;
  result.name = name;
  result.features = file.dense<T, I>("node_features");
  const std::size_t nodes = result.features.rows();
  if (nodes == 0) {
    file.fail("node_features", "expected at least one row, got none");
  }
  {
    const auto pairs = file.array<I>("edges", 2);
    if (pairs.shape[1] != 2) {
      file.fail("edges", text("expected two columns, the ends of each edge, got ", pairs.shape[1]));
    }
    std::vector<edge<I>> edges(pairs.shape[0]);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      edges[e] = {pairs.values[2 * e], pairs.values[2 * e + 1]};
      for (const I id : {edges[e].source, edges[e].target}) {
        if (id < 0 || static_cast<std::size_t>(id) >= nodes) {
          file.fail("edges", text("expected ids in [0, ", nodes, ") in row ", e, ", got ", id));
        }
      }
    }
    result.graph = build_graph<I>(nodes, edges);
  }
  result.labels = file.labels<I>("node_labels", nodes);
  result.classes = count_classes(result.labels);
  split_builder<I> split(result.labels);
  result.split.train = split.from_npz(file, "train_masks", 2, split_index);
  result.split.validation = split.from_npz(file, "val_masks", 2, split_index);
  result.split.test = split.from_npz(file, "test_masks", 2, split_index);
  result.check();
  return result;
}

}  // namespace graphpatcher
