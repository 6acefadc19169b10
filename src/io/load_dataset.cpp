// SPDX-License-Identifier: MIT
#include "graphpatcher/io/load_dataset.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/normalise.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "graphpatcher/io/dataset_catalog.hpp"
#include "graphpatcher/io/geom_gcn.hpp"
#include "graphpatcher/io/gnn_benchmark.hpp"
#include "graphpatcher/io/heterophilous.hpp"
#include "graphpatcher/io/ogb.hpp"
#include "graphpatcher/io/planetoid.hpp"
#include "graphpatcher/io/wiki_cs.hpp"
#include "io/instantiate.hpp"

namespace graphpatcher {

namespace detail {

template <class T, graph_index I>
dataset<T, I> read_dataset(const std::string& name, const dataset_entry& entry, const std::filesystem::path& folder,
                           const load_options& options) {
  const text_options text_reading{.exec = options.exec, .quiet = options.quiet};
  const progress_options display{.quiet = options.quiet};
  switch (entry.layout) {
    case dataset_layout::planetoid:
      return load_planetoid<T, I>(folder, name, {.normalise = false});
    case dataset_layout::gnn_benchmark:
      return load_gnn_benchmark<T, I>(folder / entry.file, name, {.seed = options.split_seed}, display);
    case dataset_layout::heterophilous:
      return load_heterophilous<T, I>(folder / entry.file, name, options.split_index, display);
    case dataset_layout::wiki_cs:
      return load_wiki_cs<T, I>(folder / entry.file, options.split_index, display);
    case dataset_layout::ogb:
      return load_ogb<T, I>(folder, name, "time", text_reading);
    case dataset_layout::geom_gcn:
      break;
  }
  // The splits are in a folder beside the dataset's, or beside the one it is in (new_data).
  const auto files = (folder / entry.file).parent_path();
  const std::string split =
      files.filename().string() + "_split_0.6_0.2_" + std::to_string(options.split_index) + ".npz";
  const auto beside = folder / "splits" / split;
  const auto above = folder.parent_path() / "splits" / split;
  return load_geom_gcn<T, I>(files, file_exists(above) ? above : beside, name, text_reading);
}

}  // namespace detail

template <real_number T, graph_index I>
dataset<T, I> load_dataset(const std::string& name, const load_options& options) {
  const auto& entry = find_dataset(name);
  expects(options.split_index < std::max<std::size_t>(entry.splits, 1), "load_dataset: ", name,
          entry.splits == 0 ? " comes without splits: choose a random one with split_seed, and leave split_index at 0"
                            : text(": expected a split_index in [0, ", entry.splits, ")"),
          ", got ", options.split_index);
  auto result = detail::read_dataset<T, I>(name, entry, find_dataset_files(options.root, entry), options);
  if (options.normalise.value_or(entry.normalise)) {
    result.features = normalise_rows(std::move(result.features));
  }
  return result;
}

#define GP_INSTANTIATE(T, I) template dataset<T, I> load_dataset<T, I>(const std::string&, const load_options&);
GP_FOR_DATASET_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
