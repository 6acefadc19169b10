// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "graphpatcher/io/backbone_checkpoint.hpp"
#include "graphpatcher/io/fingerprint.hpp"
#include "graphpatcher/models/train_backbone.hpp"

namespace graphpatcher {

namespace detail {

/// The backbone that `config` makes on this data: from the file if there is one, else trained and written to it. A file
/// made for other data or with other options is an error; an empty path stands for no file.
template <class Config, class T, graph_index I>
trained<typename Config::template model_type<T>> trained_or_stored(const executor& exec, const dataset<T, I>& data,
                                                                   const Config& config, const fit_options& fitting,
                                                                   const std::filesystem::path& file) {
  using model_type = typename Config::template model_type<T>;
  const checkpoint_notes notes{{"fingerprint of the dataset", fingerprint(data)},
                               {"epochs", std::to_string(fitting.max_epochs)},
                               {"epoch-patience", std::to_string(fitting.patience)}};
  if (!file.empty() && std::filesystem::exists(file)) {
    const auto stored = load_backbone<Config, T>(file);
    expect_same_config(file, stored.config, config);
    expects(stored.info.notes == notes, file.string(), ": was made for other data or with other options; remove it");
    return {static_cast<const model_type&>(stored), stored.history};
  }
  auto made = train_backbone(exec, data, config, fitting);
  if (!file.empty()) {
    std::filesystem::create_directories(file.parent_path());
    save_backbone(file, made, config, notes);
  }
  return made;
}

}  // namespace detail

/// Calls body(backbone) with the backbone of the paper's comparison that is
/// called "gcn", "sage" or "gat", trained from `seed` on `data` or read from
/// `file`. GCN takes means, on Pubmed the symmetric normalisation.
template <class T, graph_index I, class Body>
void with_backbone(const executor& exec, const dataset<T, I>& data, const std::string& name, std::uint64_t seed,
                   const fit_options& fitting, const std::filesystem::path& file, Body&& body) {
  if (name == "gcn") {
    const auto norm = data.name == "pubmed" ? normalisation::symmetric : normalisation::mean;
    body(detail::trained_or_stored(exec, data, gcn_config{.norm = norm, .seed = seed}, fitting, file));
  } else if (name == "sage") {
    body(detail::trained_or_stored(exec, data, sage_config{.seed = seed}, fitting, file));
  } else {
    expects(name == "gat", "experiment: no backbone is called '", name, "'; there are gcn, sage and gat");
    body(detail::trained_or_stored(exec, data, gat_config{.seed = seed}, fitting, file));
  }
}

}  // namespace graphpatcher
