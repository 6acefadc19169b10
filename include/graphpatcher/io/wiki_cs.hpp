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

/// Wiki-CS (Mernyei and Cangea, 2020): a data.json with
///
///   features  nodes x 300      labels     a class a node      links      the neighbours of each node
///   train_masks, val_masks     20 x nodes, of which `split_index` is taken
///   test_mask                  the same nodes for all splits
///
/// and stopping_masks, which are left out: validation nodes are those of
/// val_masks. The graph is made undirected and simple; features are as they are.
template <real_number T = float, graph_index I = std::int32_t>
dataset<T, I> load_wiki_cs(const std::filesystem::path& path, std::size_t split_index = 0,
                           const progress_options& display = {});

}  // namespace graphpatcher
