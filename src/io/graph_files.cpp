// SPDX-License-Identifier: MIT
#include "graphpatcher/io/graph_files.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/normalise.hpp"
#include "graphpatcher/graph/splits.hpp"
#include "graphpatcher/io/npy.hpp"
#include "io/edge_list.hpp"
#include "io/id_column.hpp"
#include "io/instantiate.hpp"
#include "io/npy_features.hpp"
#include "io/split_builder.hpp"
#include "io/text_column.hpp"
#include "io/text_graph.hpp"
#include "io/text_table.hpp"

namespace graphpatcher {

namespace detail {

inline bool is_npy(const std::filesystem::path& path) {
  return path.extension() == ".npy";
}

template <class T, graph_index I>
feature_table<T, I> read_features(const graph_files& files) {
  const std::string path = files.features.string();
  if (is_npy(files.features)) {
    return without_ids(read_npy_features<T, I>(files.features), path, files.ids, files.first_id, {});
  }
  text_source source(files.features, files.text);
  const auto header = source.head().substr(0, header_length(source.head(), files.header));
  return without_ids(read_text_table<T, I>(source, files.header), path, files.ids, files.first_id, header);
}

/// Throws about another number of classes than rows of features. Lines that say nothing are the likeliest reason.
[[noreturn]] inline void refuse_count(const graph_files& files, std::size_t classes, std::size_t rows) {
  if (!is_npy(files.features)) {
    text_source source(files.features, files.text);
    source.skip(header_length(source.head(), files.header));
    expect_no_empty_line(source, "a row of features");
  }
  throw format_error(files.labels.string(), 0,
                     text("expected ", rows, " classes, one for each row of ", files.features.string(), ", got ",
                          classes, "; is the first line a header? See graph_files::header"));
}

/// A column of integers in [least, below) of an npy or text file.
template <graph_index I>
std::vector<I> read_column(const std::filesystem::path& path, const graph_files& files, const char* what,
                           std::int64_t least, std::int64_t below, std::optional<std::int64_t> first_id = {}) {
  if (!is_npy(path)) {
    text_source source(path, files.text);
    return read_text_column<I>(source, what, least, below, files.header, first_id);
  }
  const auto all = read_npy<std::int64_t>(path);
  if (all.shape.size() != 1) {
    throw format_error(path.string(), 0, text("expected one axis, got ", all.shape.size()));
  }
  std::vector<I> numbers(all.values.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (all.values[i] < least || all.values[i] >= below) {
      throw format_error(
          path.string(), 0,
          text("expected ", what, " in [", least, ", ", below, "), got ", all.values[i], " at place ", i));
    }
    numbers[i] = static_cast<I>(all.values[i]);
  }
  return numbers;
}

template <graph_index I>
node_split<I> read_split(const graph_files& files, const std::vector<I>& labels) {
  const int given = !files.train.empty() + !files.validation.empty() + !files.test.empty();
  expects(given == 0 || given == 3, "load_graph_files: expected files for train, validation and test, or for none of ",
          "them (a random split), got ", given);
  if (given == 0) {
    return random_split(labels, files.split);
  }
  split_builder<I> builder(labels);
  const auto part = [&](const std::filesystem::path& path) {
    const std::int64_t below = files.first_id + static_cast<std::int64_t>(labels.size());
    auto nodes = read_column<I>(path, files, "a node's id", files.first_id, below);
    for (auto& id : nodes) {
      id -= static_cast<I>(files.first_id);
    }
    return builder.from_ids(path.string(), std::move(nodes));
  };
  node_split<I> split;
  split.train = part(files.train);
  split.validation = part(files.validation);
  split.test = part(files.test);
  return split;
}

}  // namespace detail

template <real_number T, graph_index I>
dataset<T, I> load_graph_files(const graph_files& files, dataset_summary* summary) {
  expects(!files.edges.empty() && !files.features.empty() && !files.labels.empty(),
          "load_graph_files: expected files with edges, features and labels; one of them is not given");
  expects(files.first_id == 0 || files.first_id == 1, "load_graph_files: expected a first_id of 0 or 1, got ",
          files.first_id);
  dataset<T, I> result;
  result.name = files.name;
  result.features = detail::read_features<T, I>(files);
  const std::size_t nodes = result.features.rows();
  if (nodes == 0) {
    throw format_error(files.features.string(), 0, "expected a row for each node, got none");
  }
  if (files.normalise) {
    result.features = normalise_rows(std::move(result.features));
  }
  const auto below = static_cast<std::int64_t>(nodes);
  const auto first_id = files.ids == text_ids::present ? std::optional(files.first_id) : std::nullopt;
  result.labels = detail::read_column<I>(files.labels, files, "a class (-1 = unknown)", -1, below, first_id);
  if (result.labels.size() != nodes) {
    detail::refuse_count(files, result.labels.size(), nodes);
  }
  result.classes = count_classes(result.labels);
  expects_labels(files.labels.string(), result.labels);
  const edge_list edges(files.edges, {.header = files.header, .first_id = files.first_id, .text = files.text});
  edge_counts found;
  result.graph = read_graph<I>(edges, nodes, files.build, summary != nullptr ? &found : nullptr);
  result.split = detail::read_split(files, result.labels);
  result.check();
  if (summary != nullptr) {
    *summary = summarise(result);
    summary->edges = found.edges;
    summary->repeated = found.repeated;
    summary->loops = found.loops;
    summary->random_split = files.train.empty();
  }
  return result;
}

#define GP_INSTANTIATE(T, I) template dataset<T, I> load_graph_files<T, I>(const graph_files&, dataset_summary*);
GP_FOR_DATASET_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
