// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/edge_view.hpp"

/// Attention over edges on the GPU (kernels/edge_softmax.cu). All spans and
/// views are device memory; equations in ops/edge_softmax.hpp. Sums over the edges
/// of a row run in a fixed tree that depends on the row and the heads alone
/// (kernels/row_team.cuh).
namespace graphpatcher::backend {

template <class T>
void head_dot(const cuda& exec, matrix_view<const T> z, matrix_view<const T> l, matrix_view<T> out);
template <class T>
void head_dot_adjoint_z(const cuda& exec, matrix_view<const T> l, matrix_view<const T> gradient,
                        matrix_view<T> z_gradient);
template <class T>
void head_dot_adjoint_l(const cuda& exec, matrix_view<const T> z, matrix_view<const T> gradient,
                        matrix_view<T> l_gradient);

template <class T, graph_index I>
void edge_scores(const cuda& exec, const edge_view<I>& edges, matrix_view<const T> el, matrix_view<const T> er, T slope,
                 matrix_view<T> out);
template <class T, graph_index I>
void edge_scores_adjoint_rows(const cuda& exec, const edge_view<I>& edges, matrix_view<const T> scores, T slope,
                              matrix_view<const T> gradient, matrix_view<T> er_gradient);
template <class T, graph_index I>
void edge_scores_adjoint_sources(const cuda& exec, const edge_view<I>& edges, matrix_view<const T> scores, T slope,
                                 matrix_view<const T> gradient, matrix_view<T> el_gradient);

template <class T, graph_index I>
void edge_softmax(const cuda& exec, std::span<const I> offsets, matrix_view<const T> scores, matrix_view<T> out);
template <class T, graph_index I>
void edge_softmax_adjoint(const cuda& exec, std::span<const I> offsets, matrix_view<const T> alpha,
                          matrix_view<const T> gradient, matrix_view<T> scores_gradient);

}  // namespace graphpatcher::backend
