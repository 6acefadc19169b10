// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

/// Rows by id on the GPU (kernels/gather.cu); equations in ops/gather.hpp.
namespace graphpatcher::backend {

/// `ids`: device memory.
template <class T, graph_index I>
void gather_rows(const cuda& exec, matrix_view<const T> x, std::span<const I> ids, matrix_view<T> out);

/// out[ids[i], :] += factor · x[i, :]. `ids`: host memory: equal ids are brought
/// together there (a stable counting sort), so that a row is added up in the
/// order of i, without atomics; more than 512 equal ids in pieces, as in
/// spmm_balance::nonzeros.
template <class T, graph_index I>
void scatter_add_rows(const cuda& exec, matrix_view<const T> x, std::span<const I> ids, T factor, matrix_view<T> out);

}  // namespace graphpatcher::backend
