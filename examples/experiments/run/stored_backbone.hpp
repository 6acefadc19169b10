// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "experiments/run/scores.hpp"
#include "graphpatcher/models/train_backbone.hpp"

namespace graphpatcher {

/// The backbone that `config` makes on this data: from the file if there is one, else trained and written to it. A file
/// made for other data or with other options is an error; an empty path stands for no file. For gcn_config,
/// sage_config and gat_config.
template <class Config>
trained<typename Config::template model_type<float>> trained_or_stored(const executor& exec,
                                                                       const experiment_data& data,
                                                                       const Config& config, const fit_options& fitting,
                                                                       const std::filesystem::path& file);

}  // namespace graphpatcher
