// SPDX-License-Identifier: MIT
#include "graphpatcher/io/geom_gcn.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "graphpatcher/graph/dataset.hpp"
#include "io/edge_list.hpp"
#include "io/geom_gcn_nodes.hpp"
#include "io/instantiate.hpp"
#include "io/npz_arrays.hpp"
#include "io/split_builder.hpp"
#include "io/text_graph.hpp"

namespace graphpatcher {

template <real_number T, graph_index I>
dataset<T, I> load_geom_gcn(const std::filesystem::path& folder, const std::filesystem::path& split_file,
                            const std::string& name, const text_options& options) {
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

#define GP_INSTANTIATE(T, I)                                                                             \
  template dataset<T, I> load_geom_gcn<T, I>(const std::filesystem::path&, const std::filesystem::path&, \
                                             const std::string&, const text_options&);
GP_FOR_DATASET_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
