// SPDX-License-Identifier: MIT
#include "graphpatcher/io/heterophilous.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "io/instantiate.hpp"
#include "io/npz_arrays.hpp"
#include "io/split_builder.hpp"

namespace graphpatcher {

template <real_number T, graph_index I>
dataset<T, I> load_heterophilous(const std::filesystem::path& path, const std::string& name, std::size_t split_index,
                                 const progress_options& display) {
  const npz_dataset_file file(path, display);
  dataset<T, I> result;
  result.name = name;
  result.features = file.features<T, I>("node_features");
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

#define GP_INSTANTIATE(T, I)                                                                                     \
  template dataset<T, I> load_heterophilous<T, I>(const std::filesystem::path&, const std::string&, std::size_t, \
                                                  const progress_options&);
GP_FOR_DATASET_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
