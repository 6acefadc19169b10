// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/operands/feature_rows.hpp"

/// Products with rows of features on the GPU (kernels/sparse_gemm.cu); equations in
/// ops/sparse_gemm.hpp. The table of `x`, its ids and its value offsets are host
/// memory, as everywhere; the table's copy on the device, in the type it is stored
/// as, is made once (sparse_matrix::on, dense_table::on), ids are sent along. Own
/// values and matrices are device memory. Rows of a dense table are converted to
/// panels, which cuBLAS multiplies.
namespace graphpatcher::backend {

template <class T, graph_index I>
void sparse_gemm(const cuda& exec, const feature_rows<T, I>& x, matrix_view<const T> w, matrix_view<T> out);

/// The non-zeros are brought together by column on the host (a stable counting
/// sort), so that a row of dw is added up in the order of the rows of x, without
/// atomics; more than 512 non-zeros of a column in pieces, as in
/// spmm_balance::nonzeros.
template <class T, graph_index I>
void sparse_gemm_adjoint(const cuda& exec, const feature_rows<T, I>& x, matrix_view<const T> g, matrix_view<T> dw);

template <class T, graph_index I>
void sparse_to_dense(const cuda& exec, const feature_rows<T, I>& x, matrix_view<T> out);

/// `offsets`: host memory; `values`: device memory.
template <class T, graph_index I>
void sparse_dropout(const cuda& exec, random_stream stream, double probability, const feature_rows<T, I>& x,
                    std::span<const std::size_t> offsets, std::span<T> values);

}  // namespace graphpatcher::backend
