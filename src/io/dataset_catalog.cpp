// SPDX-License-Identifier: MIT
#include "graphpatcher/io/dataset_catalog.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/atomic_file.hpp"

namespace graphpatcher {

const dataset_entry& find_dataset(std::string_view name) {
  const auto found = std::find_if(dataset_catalog.begin(), dataset_catalog.end(),
                                  [&](const auto& entry) { return entry.name == name; });
  if (found == dataset_catalog.end()) {
    std::string known;
    for (const auto& each : dataset_names) {
      known += (known.empty() ? "" : ", ") + std::string(each);
    }
    throw argument_error(text("load_dataset: no dataset is called '", name, "'; the known ones are ", known));
  }
  return *found;
}

std::filesystem::path find_dataset_files(const std::filesystem::path& root, const dataset_entry& entry) {
  const auto& place = *std::find_if(layout_places.begin(), layout_places.end(),
                                    [&](const auto& each) { return each.layout == entry.layout; });
  std::vector<std::filesystem::path> folders{root};
  for (const auto& folder : place.folders) {
    if (!folder.empty()) {
      folders.push_back(root / folder);
    }
  }
  std::string places;
  for (const auto& folder : folders) {
    if (file_exists(folder / entry.file)) {
      return folder;
    }
    places += (places.empty() ? "" : ", ") + folder.string();
  }
  throw file_error((folders.front() / entry.file).string(),
                   text("no such file, nor in any other of ", places, "; it comes from ", place.home,
                        ", and scripts/download-data ", entry.name, " fetches it"));
}

}  // namespace graphpatcher
