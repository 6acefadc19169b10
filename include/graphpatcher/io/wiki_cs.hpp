// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/io/json_cursor.hpp"
#include "graphpatcher/io/late_progress.hpp"
#include "graphpatcher/io/mapped_file.hpp"
#include "graphpatcher/io/split_builder.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

namespace detail {

/// Shows how far a file is read, if that takes long.
class json_progress {
public:
  json_progress(const json_cursor& json, const progress_options& options,
                std::chrono::milliseconds delay = std::chrono::seconds(2))
      : path_(json.path()), display_("reading " + path_ + " (bytes)", json.size(), options, delay) {}

  /// The cursor has come from `begin` to where it is, in one of several passes.
  void advance(const json_cursor& json, std::size_t begin, std::size_t passes = 1) {
    if (interrupt_requested()) {
      throw_if_interrupted("reading " + path_);
    }
    display_.advance((json.position() - begin) / passes);
  }

private:
  std::string path_;
  late_progress display_;
};

/// Calls visit(row, column) at each number of an array of arrays; visit must
/// read it. Returns the number of rows; `end_row(row, width)` ends each.
template <class Visit, class EndRow>
std::size_t visit_rows(json_cursor& json, json_progress& meter, std::size_t passes, Visit&& visit, EndRow&& end_row) {
  std::size_t row = 0;
  json.array([&] {
    const std::size_t begin = json.position();
    std::size_t column = 0;
    json.array([&] { visit(row, column++); });
    end_row(row++, column);
    meter.advance(json, begin, passes);
  });
  return row;
}

/// An array of arrays of numbers, all of the same length, as sparse rows. Read
/// twice: to count, then to fill.
template <class T, graph_index I>
sparse_matrix<T, I> json_features(json_cursor& json, json_progress& meter) {
  json_cursor again = json;
  std::size_t nonzeros = 0;
  std::size_t width = 0;
  const std::size_t rows = visit_rows(
      json, meter, 2, [&](std::size_t, std::size_t) { nonzeros += json.number<T>() != T(0); },
      [&](std::size_t row, std::size_t columns) {
        width = row == 0 ? columns : width;
        if (columns != width) {
          json.fail(text("expected ", width, " features, as node 0 has, got ", columns, " for node ", row));
        }
      });
  expects_index_fits<I>(nonzeros, "numbers other than 0");
  std::vector<I> offsets(rows + 1, 0);
  std::vector<I> columns(nonzeros);
  std::vector<T> values(nonzeros);
  std::size_t next = 0;
  visit_rows(
      again, meter, 2,
      [&](std::size_t, std::size_t column) {
        const T value = again.number<T>();
        if (value != T(0)) {
          if (next == nonzeros) {
            again.fail("the file was changed while it was read; read it again");
          }
          columns[next] = static_cast<I>(column);
          values[next++] = value;
        }
      },
      [&](std::size_t row, std::size_t) { offsets[std::min(row, rows - 1) + 1] = static_cast<I>(next); });
  return {rows, width, std::move(offsets), std::move(columns), std::move(values)};
}

/// The neighbours of each node, as edges; returns how many nodes have a list.
template <graph_index I>
std::size_t json_links(json_cursor& json, json_progress& meter, std::vector<edge<I>>& edges) {
  return visit_rows(
      json, meter, 1,
      [&](std::size_t row, std::size_t) {
        edges.push_back({json.number<I>(), static_cast<I>(row)});
      },
      [](std::size_t, std::size_t) {});
}

inline std::vector<std::uint8_t> json_mask(json_cursor& json) {
  std::vector<std::uint8_t> mask;
  json.array([&] { mask.push_back(json.boolean()); });
  return mask;
}

/// Mask number `chosen` of an array of masks, and how many there are.
inline std::size_t json_masks(json_cursor& json, json_progress& meter, std::size_t chosen,
                              std::vector<std::uint8_t>& mask) {
  std::size_t count = 0;
  json.array([&] {
    const std::size_t begin = json.position();
    if (count++ == chosen) {
      mask = json_mask(json);
    } else {
      json.skip();
    }
    meter.advance(json, begin);
  });
  return count;
}

}  // namespace detail

/// Wiki-CS (Mernyei and Cangea, 2020): a data.json with
///
///   features  nodes x 300      labels     a class a node      links      the neighbours of each node
///   train_masks, val_masks     20 x nodes, of which `split_index` is taken
///   test_mask                  the same nodes for all splits
///
/// and stopping_masks, which are left out: validation nodes are those of
/// val_masks. The graph is made undirected and simple; features are as they are.
template <class T = float, graph_index I = std::int32_t>
dataset<T, I> load_wiki_cs(const std::filesystem::path& path, std::size_t split_index = 0,
                           const progress_options& display = {}) {
  const mapped_file file(path);
  json_cursor json(file.path(), file.characters());
  detail::json_progress meter(json, display);
  dataset<T, I> result;
  result.name = "wiki-cs";
  std::vector<edge<I>> edges;
  std::size_t linked = 0;
  std::size_t train_masks = 0;
  std::size_t validation_masks = 0;
  std::vector<std::uint8_t> train, validation, test;
  std::set<std::string, std::less<>> seen;
  json.object([&](std::string_view key) {
    if (!seen.emplace(key).second) {
      json.fail(text("expected each key once, got '", key.substr(0, 40), "' again"));
    }
    if (key == "features") {
      result.features = detail::json_features<T, I>(json, meter);
    } else if (key == "labels") {
      json.array([&] { result.labels.push_back(json.number<I>()); });
    } else if (key == "links") {
      linked = detail::json_links<I>(json, meter, edges);
    } else if (key == "train_masks") {
      train_masks = detail::json_masks(json, meter, split_index, train);
    } else if (key == "val_masks") {
      validation_masks = detail::json_masks(json, meter, split_index, validation);
    } else if (key == "test_mask") {
      test = detail::json_mask(json);
    } else {
      json.skip();
    }
  });
  json.finish();

  for (const char* key : {"features", "labels", "links", "train_masks", "val_masks", "test_mask"}) {
    if (!seen.contains(key)) {
      json.fail(text("expected the key '", key, "', which is missing"));
    }
  }
  const std::size_t nodes = result.features.rows();
  if (nodes == 0 || result.labels.size() != nodes || linked != nodes) {
    json.fail(text("expected features, labels and links of as many nodes, at least one, got ", nodes, ", ",
                   result.labels.size(), " and ", linked));
  }
  const auto inside = [&](I id) { return id >= 0 && static_cast<std::size_t>(id) < nodes; };
  for (const auto& [source, target] : edges) {
    if (!inside(source)) {
      json.fail(text("expected links to nodes in [0, ", nodes, "), got ", source, " for node ", target));
    }
  }
  for (std::size_t v = 0; v < nodes; ++v) {
    if (result.labels[v] != -1 && !inside(result.labels[v])) {
      json.fail(
          text("expected classes in [0, ", nodes, ") or -1 for unknown, got ", result.labels[v], " for node ", v));
    }
  }
  expects_split("wiki-cs", split_index, std::min(train_masks, validation_masks));
  result.graph = build_graph<I>(nodes, edges);
  result.classes = count_classes(result.labels);
  split_builder<I> split(result.labels);
  result.split.train = split.from_mask(file.path(), "train_masks", train);
  result.split.validation = split.from_mask(file.path(), "val_masks", validation);
  result.split.test = split.from_mask(file.path(), "test_mask", test);
  result.check();
  return result;
}

}  // namespace graphpatcher
