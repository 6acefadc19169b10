// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "graphpatcher/io/edge_list.hpp"
#include "graphpatcher/io/split_builder.hpp"
#include "graphpatcher/io/text_graph.hpp"
#include "graphpatcher/io/text_table.hpp"
#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

/// A node dataset as the Open Graph Benchmark (Hu et al., 2020) unpacks it:
///
///   raw/edge.csv.gz         source,target          raw/node-feat.csv.gz   a line a node
///   raw/node-label.csv.gz   a class a line         raw/num-node-list.csv.gz   optional: one number
///   split/NAME/{train,valid,test}.csv.gz           ids of nodes
///
/// The graph is made undirected and simple, as models on ogbn-arxiv use it.
/// Features are as in the file.
template <class T = float, graph_index I = std::int32_t>
dataset<T, I> load_ogb(const std::filesystem::path& folder, const std::string& name, const std::string& split_name,
                       const text_options& options = {}) {
  const auto open = [&](const std::filesystem::path& part) { return text_source(folder / part, options); };
  dataset<T, I> result;
  result.name = name;
  auto features = open("raw/node-feat.csv.gz");
  result.features = read_text_table<T, I>(features, text_header::absent);
  const std::size_t nodes = result.features.rows();
  if (nodes == 0) {
    throw format_error(features.path(), 0, "expected a line of features for each node, got none");
  }
  std::error_code failure;
  if (std::filesystem::exists(folder / "raw/num-node-list.csv.gz", failure)) {
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

}  // namespace graphpatcher
