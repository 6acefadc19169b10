// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/io/text_options.hpp"

namespace graphpatcher {

/// A dataset in the layout of Pei et al. ("Geom-GCN", 2020), such as Chameleon:
///
///   FOLDER/out1_graph_edges.txt            a header, then source TAB target
///   FOLDER/out1_node_feature_label.txt     a header, then id TAB features TAB class
///   a split: npz with train_mask, val_mask, test_mask
///
/// Actor (folder film) lists the columns that are 1; the others have a value for
/// each column. The graph is made undirected and simple; features are as in the
/// file.
template <real_number T = float, graph_index I = std::int32_t>
dataset<T, I> load_geom_gcn(const std::filesystem::path& folder, const std::filesystem::path& split_file,
                            const std::string& name, const text_options& options = {});

}  // namespace graphpatcher
