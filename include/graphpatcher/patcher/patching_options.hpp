// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/ego_messages.hpp"
#include "graphpatcher/patcher/config.hpp"

namespace graphpatcher {

/// How nodes are patched at test time.
struct patching_options {
  std::size_t patches = 5;     ///< predict after 0, 1, ..., this many patches
  std::size_t batch = 64;      ///< anchors at once on the generic path; changes memory and speed, never a bit
  bool keep_features = false;  ///< also return the generated features
  degree_mode degree = degree_mode::graph;
  patch_edge edge = patch_edge::to_anchor;
  patch_path path = patch_path::automatic;
  bool quiet = true;  ///< no progress display
};

/// Predictions for a set of nodes after each patch.
template <class T>
struct patched_predictions {
  std::vector<matrix<T>> logits;    ///< [k]: anchors x classes with k patches; [0] is the backbone's own
  std::vector<matrix<T>> features;  ///< [k]: anchors x features of patch k + 1, if asked for
};

}  // namespace graphpatcher
