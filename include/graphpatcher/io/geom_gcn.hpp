// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "graphpatcher/io/edge_list.hpp"
#include "graphpatcher/io/geom_gcn_nodes.hpp"
#include "graphpatcher/io/npz_arrays.hpp"
#include "graphpatcher/io/split_builder.hpp"
#include "graphpatcher/io/text_graph.hpp"
#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

/// A dataset in the layout of Pei et al. ("Geom-GCN", 2020), such as Chameleon:
///
///   FOLDER/out1_graph_edges.txt            a header, then source TAB target
///   FOLDER/out1_node_feature_label.txt     a header, then id TAB features TAB class
///   a split: npz with train_mask, val_mask, test_mask
///
/// Actor (folder film) lists the columns that are 1; the others have a value for
/// each column. The graph is made undirected and simple; features are as in the
/// file.
template <class T = float, graph_index I = std::int32_t>
dataset<T, I> load_geom_gcn(const std::filesystem::path& folder, const std::filesystem::path& split_file,
                            const std::string& name, const text_options& options = {}) {
  text_source node_file(folder / "out1_node_feature_label.txt", options);
  auto nodes = read_geom_gcn_nodes<T, I>(node_file);
  dataset<T, I> result;
  result.name = name;
  result.features = std::move(nodes.features);
  result.labels = std::move(nodes.labels);
  result.classes = count_classes(result.labels);
  const edge_list edges(folder / "out1_graph_edges.txt", {.header = text_header::present, .text = options});
  result.graph = read_graph<I>(edges, result.labels.size());

  const npz_dataset_file masks(split_file, {.quiet = options.quiet});
  split_builder<I> split(result.labels);
  result.split.train = split.from_npz(masks, "train_mask", 1);
  result.split.validation = split.from_npz(masks, "val_mask", 1);
  result.split.test = split.from_npz(masks, "test_mask", 1);
  result.check();
  return result;
}

}  // namespace graphpatcher
