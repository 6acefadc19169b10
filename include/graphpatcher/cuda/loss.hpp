// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

/// Softmax and losses on the GPU (kernels/loss.cu), value and slopes in one
/// pass, a warp a row. All spans and views are device memory; equations in
/// ops/loss.hpp.
namespace graphpatcher::backend {

template <class T>
void softmax(const cuda& exec, matrix_view<const T> x, matrix_view<T> out);
template <class T>
void softmax_adjoint(const cuda& exec, matrix_view<const T> p, matrix_view<const T> gradient,
                     matrix_view<T> x_gradient);
template <class T>
void log_softmax(const cuda& exec, matrix_view<const T> x, matrix_view<T> out);
template <class T>
void log_softmax_adjoint(const cuda& exec, matrix_view<const T> y, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient);

template <class T, graph_index I>
void cross_entropy(const cuda& exec, matrix_view<const T> logits, std::span<const I> rows, std::span<const I> labels,
                   std::span<T> losses, matrix_view<T> slopes);
template <class T>
void kl_divergence(const cuda& exec, matrix_view<const T> targets, matrix_view<const T> logits, std::size_t samples,
                   T eps, std::span<T> losses, matrix_view<T> slopes);
template <class T>
void released_sample_loss(const cuda& exec, matrix_view<const T> target_logits, matrix_view<const T> logits,
                          std::size_t samples, std::span<T> losses, matrix_view<T> slopes);

/// logits_gradient(rows[k], :) += weight · loss_gradient(0, 0) · slopes(k, :), the
/// gradient of the loss read on the device. `rows`: host memory, may repeat
/// (see scatter_add_rows); empty: row k itself.
template <class T, graph_index I>
void add_slopes(const cuda& exec, matrix_view<const T> slopes, std::span<const I> rows, T weight,
                matrix_view<const T> loss_gradient, matrix_view<T> logits_gradient);

}  // namespace graphpatcher::backend
