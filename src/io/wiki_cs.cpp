// SPDX-License-Identifier: MIT
#include "graphpatcher/io/wiki_cs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "io/instantiate.hpp"
#include "io/json_cursor.hpp"
#include "io/json_rows.hpp"
#include "io/mapped_file.hpp"
#include "io/split_builder.hpp"

namespace graphpatcher {

template <real_number T, graph_index I>
dataset<T, I> load_wiki_cs(const std::filesystem::path& path, std::size_t split_index,
                           const progress_options& display) {
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

#define GP_INSTANTIATE(T, I) \
  template dataset<T, I> load_wiki_cs<T, I>(const std::filesystem::path&, std::size_t, const progress_options&);
GP_FOR_DATASET_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
