// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <type_traits>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/ego_messages.hpp"
#include "graphpatcher/io/npz_writer.hpp"
#include "graphpatcher/io/text_options.hpp"

namespace graphpatcher {

struct patched_graph_options {
  patch_edge edge = patch_edge::to_anchor;
  /// Write the self-loops too: one a real node, and of a patch what `edge` says.
  /// Without them a reader must add them, to real nodes only.
  bool self_loops = true;
  npz_packing packing = npz_packing::deflated;
};

/// The edges of a graph with its virtual nodes, source -> target. Nodes are the
/// graph's, then those of step 1 for each anchor, then those of step 2, ...
struct patched_edges {
  std::size_t real = 0;  ///< nodes
  std::vector<std::int64_t> source;
  std::vector<std::int64_t> target;
  std::vector<std::int64_t> anchor;  ///< of each virtual node

  std::size_t nodes() const noexcept { return real + anchor.size(); }
};

/// Joins `steps` patches to each anchor of a graph, as `options` say.
template <graph_index I>
patched_edges join_patches(const csr_graph<I>& graph, std::type_identity_t<std::span<const I>> anchors,
                           std::size_t steps, const patched_graph_options& options = {});

/// Writes a graph with its virtual nodes for other programs: an .npz file, or
/// a folder of edges.csv, nodes.csv and features.csv (docs/pytorch.md has the
/// lines that read them). `patches[k]`: the features of patch k + 1, one row an
/// anchor, as patch_nodes() returns them with keep_features.
///
/// patch_nodes() looks at every anchor alone. A model of h layers that reads
/// this graph gives the same logits for those anchors that have no other anchor
/// within h - 1 hops (h with patch_edge::undirected, where patches change the
/// degree that others see); the rest see the patches of their neighbours too.
template <real_number T, graph_index I>
void write_patched_graph(const std::filesystem::path& path, const dataset<T, I>& data,
                         std::type_identity_t<std::span<const I>> anchors, const std::vector<matrix<T>>& patches,
                         const patched_graph_options& options = {});

}  // namespace graphpatcher
