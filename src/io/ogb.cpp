// SPDX-License-Identifier: MIT
#include "graphpatcher/io/ogb.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "io/edge_list.hpp"
#include "io/instantiate.hpp"
#include "io/split_builder.hpp"
#include "io/text_column.hpp"
#include "io/text_graph.hpp"
#include "io/text_table.hpp"

namespace graphpatcher {

template <real_number T, graph_index I>
dataset<T, I> load_ogb(const std::filesystem::path& folder, const std::string& name, const std::string& split_name,
                       const text_options& options) {
  const auto open = [&](const std::filesystem::path& part) { return text_source(folder / part, options); };
  dataset<T, I> result;
  result.name = name;
  auto features = open("raw/node-feat.csv.gz");
  result.features = read_text_table<T, I>(features, text_header::absent);
  const std::size_t nodes = result.features.rows();
  if (nodes == 0) {
    throw format_error(features.path(), 0, "expected a line of features for each node, got none");
  }
  if (file_exists(folder / "raw/num-node-list.csv.gz")) {
    auto counts = open("raw/num-node-list.csv.gz");
    const auto stated = read_text_column<std::int64_t>(counts, "a number of nodes", 0, std::int64_t{1} << 40);
    if (stated.size() != 1 || static_cast<std::size_t>(stated[0]) != nodes) {
      throw format_error(counts.path(), 0,
                         text("expected one graph of ", nodes, " nodes, as ", features.path(), " has"));
    }
  }
  const auto below = static_cast<std::int64_t>(nodes);
  auto labels = open("raw/node-label.csv.gz");
  result.labels = read_text_column<I>(labels, "a class (-1 = unknown)", -1, below, text_header::absent);
  if (result.labels.size() != nodes) {
    throw format_error(labels.path(), 0,
                       text("expected ", nodes, " lines, a class for each node, got ", result.labels.size()));
  }
  result.classes = count_classes(result.labels);
  result.graph =
      read_graph<I>(edge_list(folder / "raw/edge.csv.gz", {.header = text_header::absent, .text = options}), nodes);

  split_builder<I> split(result.labels);
  const std::filesystem::path parts = std::filesystem::path("split") / split_name;
  for (auto [file, part] :
       {std::pair{"train.csv.gz", &result.split.train}, std::pair{"valid.csv.gz", &result.split.validation},
        std::pair{"test.csv.gz", &result.split.test}}) {
    auto ids = open(parts / file);
    *part = split.from_ids(ids.path(), read_text_column<I>(ids, "a node's id", 0, below, text_header::absent));
  }
  result.check();
  return result;
}

#define GP_INSTANTIATE(T, I)                                                                                  \
  template dataset<T, I> load_ogb<T, I>(const std::filesystem::path&, const std::string&, const std::string&, \
                                        const text_options&);
GP_FOR_DATASET_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
