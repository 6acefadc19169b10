// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/edge_view.hpp"

/// cuSPARSE's product with a graph (kernels/cusparse_spmm.cu): a peer to compare
/// spmm() with, for 32-bit indices; the library itself does not use it.
namespace graphpatcher::backend {

/// out[i, :] = Σ_e edge_values[e] · x[sources[e], :] over the edges e of row i.
/// One value an edge is stored and read, which spmm() avoids for normalised
/// adjacencies. All spans and views are device memory. Float and double; the
/// order of the sum is cuSPARSE's own.
template <class T, graph_index I>
void cusparse_spmm(const cuda& exec, const edge_view<I>& edges, std::span<const T> edge_values, matrix_view<const T> x,
                   matrix_view<T> out);

}  // namespace graphpatcher::backend
