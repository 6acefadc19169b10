// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/io/text_options.hpp"

namespace graphpatcher {

/// A dataset of Platonov et al. ("A critical look at the evaluation of GNNs
/// under heterophily", 2023), such as Roman-Empire:
///
///   node_features  nodes x features          node_labels  nodes
///   edges          edges x 2                 train_masks, val_masks, test_masks  splits x nodes
///
/// The graph is made undirected and simple; `split_index` picks one of the
/// splits. Features are as in the file.
template <real_number T = float, graph_index I = std::int32_t>
dataset<T, I> load_heterophilous(const std::filesystem::path& path, const std::string& name,
                                 std::size_t split_index = 0, const progress_options& display = {});

}  // namespace graphpatcher
