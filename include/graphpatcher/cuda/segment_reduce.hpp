// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/edge_view.hpp"

/// Reductions over segments on the GPU (kernels/segment_reduce.cu). All spans
/// and views are device memory; equations in ops/segment_reduce.hpp.
namespace graphpatcher::backend {

/// Segments of more than 512 rows are added up in pieces, as in
/// spmm_balance::nonzeros.
template <class T, graph_index I>
void segment_sum(const cuda& exec, std::span<const I> offsets, bool mean, matrix_view<const T> x, matrix_view<T> out);

template <class T, graph_index I>
void segment_sum_adjoint(const cuda& exec, std::span<const I> offsets, bool mean, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient);

/// `sources` empty: entry e is row e of x.
template <class T, graph_index I>
void segment_max(const cuda& exec, std::span<const I> offsets, std::span<const I> sources, matrix_view<const T> x,
                 std::span<I> winners, matrix_view<T> out);

/// Over the edges of a graph: each source collects from the rows it won, through
/// the reverse edges, so that no two threads add to one element.
template <class T, graph_index I>
void segment_max_adjoint(const cuda& exec, const edge_view<I>& edges, std::span<const I> winners,
                         matrix_view<const T> gradient, matrix_view<T> x_gradient);

/// Over rows that stand together: an entry belongs to one segment only.
template <class T, graph_index I>
void segment_max_adjoint(const cuda& exec, std::span<const I> winners, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient);

}  // namespace graphpatcher::backend
