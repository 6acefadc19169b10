// SPDX-License-Identifier: MIT
#include "graphpatcher/io/gnn_benchmark.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/splits.hpp"
#include "io/instantiate.hpp"
#include "io/npz_arrays.hpp"
#include "io/split_builder.hpp"

namespace graphpatcher {

template <real_number T, graph_index I>
dataset<T, I> load_gnn_benchmark(const std::filesystem::path& path, const std::string& name, const split_options& split,
                                 const progress_options& display) {
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
  result.features = is_dense ? file.features<T, I>("attr_matrix") : feature_table<T, I>(file.csr<T, I>("attr"));
  if (result.features.rows() != result.nodes()) {
    file.fail(is_dense ? "attr_matrix" : "attr_shape",
              text("expected features of ", result.nodes(), " nodes, got ", result.features.rows()));
  }
  result.labels = file.labels<I>("labels", result.nodes());
  result.classes = count_classes(result.labels);
  expects_labels(file.path(), result.labels);
  result.split = random_split(result.labels, split);
  result.check();
  return result;
}

#define GP_INSTANTIATE(T, I)                                                                        \
  template dataset<T, I> load_gnn_benchmark<T, I>(const std::filesystem::path&, const std::string&, \
                                                  const split_options&, const progress_options&);
GP_FOR_DATASET_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
