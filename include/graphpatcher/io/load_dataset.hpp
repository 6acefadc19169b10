// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/io/dataset_catalog.hpp"
#include "graphpatcher/io/text_options.hpp"

namespace graphpatcher {

struct load_options {
  std::filesystem::path root = "data";  ///< folder with the files, or with the layout's folder that has them
  std::optional<bool> normalise{};      ///< features of a node sum to 1; unset: as those who use the dataset do
  std::size_t split_index = 0;          ///< which of the splits that come with the dataset
  std::uint64_t split_seed = 0;         ///< of the random 10/10/80 split of a dataset that comes with none
  cpu exec{};                           ///< threads that read text
  bool quiet = false;                   ///< no progress display, which otherwise begins after 2 s
};

/// A public dataset by its name (dataset_names), from the files its users have.
/// The graph is undirected and simple.
///
///   const auto data = load_dataset("chameleon", {.root = "data", .split_index = 3});
template <real_number T = float, graph_index I = std::int32_t>
dataset<T, I> load_dataset(const std::string& name, const load_options& options = {});

}  // namespace graphpatcher
