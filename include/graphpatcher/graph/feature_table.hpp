// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// The features of all nodes, a row each: what layers gather rows from by node id.
template <class T, graph_index I>
using feature_table = sparse_matrix<T, I>;

}  // namespace graphpatcher
