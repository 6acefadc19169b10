// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/data/planetoid.hpp"
#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

struct load_options {
  std::filesystem::path root = "data";  ///< folder with the files, or with a folder `planetoid` that has them
  bool normalise = true;                ///< features of a node sum to 1
};

/// Names that load_dataset() knows.
inline constexpr std::array<std::string_view, 3> dataset_names{"cora", "citeseer", "pubmed"};

namespace detail {

/// The first of `root` and `root/planetoid` that has a file of the set.
inline std::filesystem::path find_planetoid(const std::filesystem::path& root, const std::string& name) {
  for (const auto& folder : {root, root / "planetoid"}) {
    for (const char* part : {"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"}) {
      std::error_code failure;
      if (std::filesystem::exists(planetoid_path(folder, name, part), failure)) {
        return folder;
      }
    }
  }
  throw file_error(planetoid_path(root, name, "x").string(),
                   "no such file, nor one in " + (root / "planetoid").string() + "; " + planetoid_hint(name));
}

}  // namespace detail

/// A public dataset by its name, with its public split.
template <class T = float, graph_index I = std::int32_t>
dataset<T, I> load_dataset(const std::string& name, const load_options& options = {}) {
  if (std::find(dataset_names.begin(), dataset_names.end(), name) == dataset_names.end()) {
    std::string known;
    for (const auto& each : dataset_names) {
      known += (known.empty() ? "" : ", ") + std::string(each);
    }
    throw argument_error(text("load_dataset: no dataset is called '", name, "'; the known ones are ", known));
  }
  return load_planetoid<T, I>(detail::find_planetoid(options.root, name), name, {.normalise = options.normalise});
}

}  // namespace graphpatcher
