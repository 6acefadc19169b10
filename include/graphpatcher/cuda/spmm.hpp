// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "graphpatcher/graph/edge_view.hpp"
#include "graphpatcher/operands/spmm_scales.hpp"

/// Sparse products whose balance is chosen by hand, and of tables in 16 bits
/// (kernels/spmm.cu): operations have the automatic one. All spans and views are device
/// memory; equations in ops/spmm.hpp.
namespace graphpatcher {

/// How the rows of a sparse product are shared out.
///   rows       A group of lanes adds up a whole row, in the order of its edges,
///              as on the CPU.
///   nonzeros   Rows of more than 512 edges are cut into pieces of 256, counted
///              from the start of the row. Pieces are summed in the order of
///              their edges, then joined first to last: the same bits every
///              time, in every batch. For graphs with hubs.
///   automatic  nonzeros if a row has more than 512 edges (edge_view::longest_row;
///              not known: if there are more than 512 edges), else rows. Both
///              give the same bits for rows that are not cut.
enum class spmm_balance { automatic, rows, nonzeros };

namespace backend {

template <class T, graph_index I>
void spmm(const cuda& exec, const edge_view<I>& edges, const spmm_scales<T>& scales, std::span<const I> gather,
          matrix_view<const T> x, matrix_view<T> out, spmm_balance balance);

/// x in half the memory: numbers are made floats when they are read, and all
/// sums are floats. Compiled for std::int32_t.
template <graph_index I>
void spmm(const cuda& exec, const edge_view<I>& edges, const spmm_scales<float>& scales, std::span<const I> gather,
          matrix_view<const float16> x, matrix_view<float> out, spmm_balance balance = spmm_balance::automatic);
template <graph_index I>
void spmm(const cuda& exec, const edge_view<I>& edges, const spmm_scales<float>& scales, std::span<const I> gather,
          matrix_view<const bfloat16> x, matrix_view<float> out, spmm_balance balance = spmm_balance::automatic);

template <class T, graph_index I>
void spmm_adjoint(const cuda& exec, const edge_view<I>& edges, const spmm_scales<T>& scales,
                  matrix_view<const T> gradient, matrix_view<T> x_gradient, spmm_balance balance);

/// out = x, rounded as core/narrow_float.hpp rounds.
void narrow(const cuda& exec, matrix_view<const float> x, matrix_view<float16> out);
void narrow(const cuda& exec, matrix_view<const float> x, matrix_view<bfloat16> out);

}  // namespace backend
}  // namespace graphpatcher
