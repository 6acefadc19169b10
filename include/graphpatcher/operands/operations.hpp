// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/edge_view.hpp"
#include "graphpatcher/operands/elements.hpp"
#include "graphpatcher/operands/feature_rows.hpp"
#include "graphpatcher/operands/gemm_operand.hpp"
#include "graphpatcher/operands/optimizer_steps.hpp"
#include "graphpatcher/operands/spmm_scales.hpp"

/// Every operation that a backend does, written once. From these lists are made the
/// tables of functions, one for a device's types of numbers and ids, one for each
/// instruction level of the processor; the calls through them; and the declarations
/// of the CUDA backend. ops/ has the equations and checks what comes in.
///
/// X(entry, name, parameters, arguments): its place in the table, the function of
/// backend:: that calls it (several entries share one), what it takes after the
/// executor. T: numbers, I: ids.
///
/// Matrices and numbers are in the executor's memory, and so is the structure that
/// changes rarely: edges, offsets, sources, gathered ids, keys, labels. The host keeps
/// what a backend may want to sort or send along in its own way: the ids of
/// scatter_add_rows, the rows of add_slopes, feature_rows with their offsets (the
/// values of its own are the executor's), the lists of the optimisers' steps.

// clang-format off
#define GP_DENSE_OPERATIONS(X)                                                                                         \
  X(gemm, gemm, (gemm_operand<T> a, gemm_operand<T> b, matrix_view<T> c, bool accumulate), (a, b, c, accumulate))      \
  X(gemm_bias, gemm_bias, (gemm_operand<T> a, gemm_operand<T> b, matrix_view<const T> bias, bool relu,                 \
    matrix_view<T> c), (a, b, bias, relu, c))                                                                          \
  X(add_column_sums, add_column_sums, (matrix_view<const T> x, T* sums), (x, sums))                                    \
  X(sum_all, sum_all, (matrix_view<const T> x, T factor, bool accumulate, matrix_view<T> out), (x, factor,             \
    accumulate, out))                                                                                                  \
  X(add_scalar, add_scalar, (matrix_view<const T> g, matrix_view<T> out), (g, out))                                    \
  X(scale_rows, scale_rows, (std::span<const T> weights, matrix_view<T> x), (weights, x))                              \
  X(prelu, prelu, (matrix_view<const T> x, matrix_view<const T> slope, matrix_view<T> y), (x, slope, y))               \
  X(prelu_adjoint, prelu_adjoint, (matrix_view<const T> x, matrix_view<const T> slope, matrix_view<const T> g,         \
    matrix_view<T> dx), (x, slope, g, dx))                                                                             \
  X(prelu_slope_adjoint, prelu_slope_adjoint, (matrix_view<const T> x, matrix_view<const T> g,                         \
    matrix_view<T> dslope), (x, g, dslope))                                                                            \
  X(layer_norm, layer_norm, (matrix_view<const T> x, matrix_view<const T> gain, matrix_view<const T> shift, T eps,     \
    std::span<T> mean, std::span<T> inverse_deviation, matrix_view<T> out), (x, gain, shift, eps, mean,                \
    inverse_deviation, out))                                                                                           \
  X(layer_norm_adjoint, layer_norm_adjoint, (matrix_view<const T> x, matrix_view<const T> gain,                        \
    std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<const T> gradient,                      \
    matrix_view<T> x_gradient), (x, gain, mean, inverse_deviation, gradient, x_gradient))                              \
  X(batch_moments, batch_moments, (matrix_view<const T> x, T momentum, T eps, std::span<T> running_mean,               \
    std::span<T> running_variance, std::span<T> mean, std::span<T> inverse_deviation), (x, momentum, eps,              \
    running_mean, running_variance, mean, inverse_deviation))                                                          \
  X(running_moments, running_moments, (std::span<const T> running_mean, std::span<const T> running_variance, T eps,    \
    std::span<T> mean, std::span<T> inverse_deviation), (running_mean, running_variance, eps, mean,                    \
    inverse_deviation))                                                                                                \
  X(normalise_columns, normalise_columns, (matrix_view<const T> x, matrix_view<const T> gain,                          \
    matrix_view<const T> shift, std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<T> out),    \
    (x, gain, shift, mean, inverse_deviation, out))                                                                    \
  X(batch_norm_adjoint, batch_norm_adjoint, (bool training, matrix_view<const T> x, matrix_view<const T> gain,         \
    std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<const T> gradient,                      \
    matrix_view<T> x_gradient), (training, x, gain, mean, inverse_deviation, gradient, x_gradient))                    \
  X(norm_gain_adjoint, norm_gain_adjoint, (bool by_rows, matrix_view<const T> x, std::span<const T> mean,              \
    std::span<const T> inverse_deviation, matrix_view<const T> gradient, matrix_view<T> gain_gradient), (by_rows, x,   \
    mean, inverse_deviation, gradient, gain_gradient))                                                                 \
  X(norm_shift_adjoint, norm_shift_adjoint, (matrix_view<const T> gradient, matrix_view<T> shift_gradient),            \
    (gradient, shift_gradient))                                                                                        \
  X(head_dot, head_dot, (matrix_view<const T> z, matrix_view<const T> l, matrix_view<T> out), (z, l, out))             \
  X(head_dot_adjoint_z, head_dot_adjoint_z, (matrix_view<const T> l, matrix_view<const T> gradient,                    \
    matrix_view<T> z_gradient), (l, gradient, z_gradient))                                                             \
  X(head_dot_adjoint_l, head_dot_adjoint_l, (matrix_view<const T> z, matrix_view<const T> gradient,                    \
    matrix_view<T> l_gradient), (z, gradient, l_gradient))                                                             \
  X(softmax, softmax, (matrix_view<const T> x, matrix_view<T> out), (x, out))                                          \
  X(softmax_adjoint, softmax_adjoint, (matrix_view<const T> p, matrix_view<const T> gradient,                          \
    matrix_view<T> x_gradient), (p, gradient, x_gradient))                                                             \
  X(log_softmax, log_softmax, (matrix_view<const T> x, matrix_view<T> out), (x, out))                                  \
  X(log_softmax_adjoint, log_softmax_adjoint, (matrix_view<const T> y, matrix_view<const T> gradient,                  \
    matrix_view<T> x_gradient), (y, gradient, x_gradient))                                                             \
  X(kl_divergence, kl_divergence, (matrix_view<const T> targets, matrix_view<const T> logits, std::size_t samples,     \
    T eps, std::span<T> losses, matrix_view<T> slopes), (targets, logits, samples, eps, losses, slopes))               \
  X(released_sample_loss, released_sample_loss, (matrix_view<const T> target_logits, matrix_view<const T> logits,      \
    std::size_t samples, std::span<T> losses, matrix_view<T> slopes), (target_logits, logits, samples, losses,         \
    slopes))                                                                                                           \
  X(adam_step, adam_step, (std::span<const adam_item<T>> items), (items))                                              \
  X(sgd_step, sgd_step, (std::span<const sgd_item<T>> items), (items))

/// Element by element: out = f(...), out += f(...).
#define GP_ELEMENT_OPERATIONS(X)                                                                                       \
  X(map_constant, map, (matrix_view<T> out, elements::constant<T> f), (out, f))                                        \
  X(map_identity, map, (matrix_view<T> out, elements::identity<T> f, const matrix_view<const T>& a), (out, f, a))      \
  X(map_sum, map, (matrix_view<T> out, elements::sum<T> f, const matrix_view<const T>& a,                              \
    const matrix_view<const T>& b), (out, f, a, b))                                                                    \
  X(map_difference, map, (matrix_view<T> out, elements::difference<T> f, const matrix_view<const T>& a,                \
    const matrix_view<const T>& b), (out, f, a, b))                                                                    \
  X(map_product, map, (matrix_view<T> out, elements::product<T> f, const matrix_view<const T>& a,                      \
    const matrix_view<const T>& b), (out, f, a, b))                                                                    \
  X(map_multiple, map, (matrix_view<T> out, elements::multiple<T> f, const matrix_view<const T>& a), (out, f, a))      \
  X(map_relu, map, (matrix_view<T> out, elements::relu<T> f, const matrix_view<const T>& a), (out, f, a))              \
  X(map_elu, map, (matrix_view<T> out, elements::elu<T> f, const matrix_view<const T>& a), (out, f, a))                \
  X(map_leaky_relu, map, (matrix_view<T> out, elements::leaky_relu<T> f, const matrix_view<const T>& a), (out, f, a))  \
  X(map_add_identity, map_add, (matrix_view<T> out, elements::identity<T> f, const matrix_view<const T>& a), (out, f,  \
    a))                                                                                                                \
  X(map_add_product, map_add, (matrix_view<T> out, elements::product<T> f, const matrix_view<const T>& a,              \
    const matrix_view<const T>& b), (out, f, a, b))                                                                    \
  X(map_add_multiple, map_add, (matrix_view<T> out, elements::multiple<T> f, const matrix_view<const T>& a), (out, f,  \
    a))                                                                                                                \
  X(map_add_relu_slope, map_add, (matrix_view<T> out, elements::relu_slope<T> f, const matrix_view<const T>& a,        \
    const matrix_view<const T>& b), (out, f, a, b))                                                                    \
  X(map_add_elu_slope, map_add, (matrix_view<T> out, elements::elu_slope<T> f, const matrix_view<const T>& a,          \
    const matrix_view<const T>& b, const matrix_view<const T>& c), (out, f, a, b, c))                                  \
  X(map_add_leaky_relu_slope, map_add, (matrix_view<T> out, elements::leaky_relu_slope<T> f,                           \
    const matrix_view<const T>& a, const matrix_view<const T>& b), (out, f, a, b))

/// Two operations in one, for the fast path of the processor.
#define GP_FUSED_OPERATIONS(X)                                                                                         \
  X(gemm_adam_step, gemm_adam_step, (gemm_operand<T> a, gemm_operand<T> b, matrix_view<const T> extra,                 \
    const adam_item<T>& item), (a, b, extra, item))

/// On messages, rows by id and sparse rows.
#define GP_GRAPH_OPERATIONS(X)                                                                                         \
  X(sparse_gemm, sparse_gemm, (const feature_rows<T, I>& x, matrix_view<const T> w, matrix_view<T> out), (x, w, out))  \
  X(sparse_gemm_adjoint, sparse_gemm_adjoint, (const feature_rows<T, I>& x, matrix_view<const T> g,                    \
    matrix_view<T> dw), (x, g, dw))                                                                                    \
  X(sparse_to_dense, sparse_to_dense, (const feature_rows<T, I>& x, matrix_view<T> out), (x, out))                     \
  X(spmm, spmm, (const edge_view<I>& edges, const spmm_scales<T>& scales, std::span<const I> gather,                   \
    matrix_view<const T> x, matrix_view<T> out), (edges, scales, gather, x, out))                                      \
  X(spmm_adjoint, spmm_adjoint, (const edge_view<I>& edges, const spmm_scales<T>& scales,                              \
    matrix_view<const T> gradient, matrix_view<T> x_gradient), (edges, scales, gradient, x_gradient))                  \
  X(spmm_weights_adjoint, spmm_weights_adjoint, (const edge_view<I>& edges, const spmm_scales<T>& scales,              \
    matrix_view<const T> gradient, matrix_view<const T> x, matrix_view<T> weights_gradient), (edges, scales,           \
    gradient, x, weights_gradient))                                                                                    \
  X(segment_sum, segment_sum, (std::span<const I> offsets, bool mean, matrix_view<const T> x, matrix_view<T> out),     \
    (offsets, mean, x, out))                                                                                           \
  X(segment_sum_adjoint, segment_sum_adjoint, (std::span<const I> offsets, bool mean, matrix_view<const T> gradient,   \
    matrix_view<T> x_gradient), (offsets, mean, gradient, x_gradient))                                                 \
  X(segment_max, segment_max, (std::span<const I> offsets, std::span<const I> sources, matrix_view<const T> x,         \
    std::span<I> winners, matrix_view<T> out), (offsets, sources, x, winners, out))                                    \
  X(segment_max_adjoint, segment_max_adjoint, (const edge_view<I>& edges, std::span<const I> winners,                  \
    matrix_view<const T> gradient, matrix_view<T> x_gradient), (edges, winners, gradient, x_gradient))                 \
  X(segment_max_adjoint_rows, segment_max_adjoint, (std::span<const I> winners, matrix_view<const T> gradient,         \
    matrix_view<T> x_gradient), (winners, gradient, x_gradient))                                                       \
  X(gather_rows, gather_rows, (matrix_view<const T> x, std::span<const I> ids, matrix_view<T> out), (x, ids, out))     \
  X(scatter_add_rows, scatter_add_rows, (matrix_view<const T> x, std::span<const I> ids, T factor,                     \
    matrix_view<T> out), (x, ids, factor, out))                                                                        \
  X(dropout, dropout, (random_stream stream, double probability, std::span<const I> keys, matrix_view<const T> x,      \
    matrix_view<T> y), (stream, probability, keys, x, y))                                                              \
  X(dropout_add, dropout_add, (random_stream stream, double probability, std::span<const I> keys,                      \
    matrix_view<const T> x, matrix_view<T> y), (stream, probability, keys, x, y))                                      \
  X(sparse_dropout, sparse_dropout, (random_stream stream, double probability, const feature_rows<T, I>& x,            \
    std::span<const std::size_t> offsets, std::span<T> values), (stream, probability, x, offsets, values))             \
  X(edge_scores, edge_scores, (const edge_view<I>& edges, matrix_view<const T> el, matrix_view<const T> er, T slope,   \
    matrix_view<T> out), (edges, el, er, slope, out))                                                                  \
  X(edge_scores_adjoint_rows, edge_scores_adjoint_rows, (const edge_view<I>& edges, matrix_view<const T> scores,       \
    T slope, matrix_view<const T> gradient, matrix_view<T> er_gradient), (edges, scores, slope, gradient,              \
    er_gradient))                                                                                                      \
  X(edge_scores_adjoint_sources, edge_scores_adjoint_sources, (const edge_view<I>& edges,                              \
    matrix_view<const T> scores, T slope, matrix_view<const T> gradient, matrix_view<T> el_gradient), (edges, scores,  \
    slope, gradient, el_gradient))                                                                                     \
  X(edge_softmax, edge_softmax, (std::span<const I> offsets, matrix_view<const T> scores, matrix_view<T> out),         \
    (offsets, scores, out))                                                                                            \
  X(edge_softmax_adjoint, edge_softmax_adjoint, (std::span<const I> offsets, matrix_view<const T> alpha,               \
    matrix_view<const T> gradient, matrix_view<T> scores_gradient), (offsets, alpha, gradient, scores_gradient))       \
  X(cross_entropy, cross_entropy, (matrix_view<const T> logits, std::span<const I> rows, std::span<const I> labels,    \
    std::span<T> losses, matrix_view<T> slopes), (logits, rows, labels, losses, slopes))                               \
  X(add_slopes, add_slopes, (matrix_view<const T> slopes, std::span<const I> rows, T weight,                           \
    matrix_view<const T> loss_gradient, matrix_view<T> logits_gradient), (slopes, rows, weight, loss_gradient,         \
    logits_gradient))
// clang-format on

/// The parameters or arguments of an entry, for others to stand before them.
#define GP_LIST(...) __VA_ARGS__

namespace graphpatcher::backend {

/// What an error calls the types that a table is for.
template <class T>
std::string types_text() {
  return std::is_same_v<T, float> ? "float" : std::is_same_v<T, double> ? "double" : "this type of numbers";
}
template <class T, graph_index I>
std::string types_text() {
  return types_text<T>() + " and " + std::to_string(8 * sizeof(I)) + "-bit ids";
}

#define GP_ENTRY(entry, name, parameters, arguments) void (*entry)(const Executor& exec, GP_LIST parameters) = nullptr;

/// Operations on dense matrices of T. Executor: cpu or device.
template <class Executor, class T>
struct dense_operations {
  static std::string types() { return types_text<T>(); }

  GP_DENSE_OPERATIONS(GP_ENTRY)
  GP_ELEMENT_OPERATIONS(GP_ENTRY)
  GP_FUSED_OPERATIONS(GP_ENTRY)
};

/// Operations on messages and sparse rows: numbers T, ids I.
template <class Executor, class T, graph_index I>
struct graph_operations {
  static std::string types() { return types_text<T, I>(); }

  GP_GRAPH_OPERATIONS(GP_ENTRY)
};

#undef GP_ENTRY

}  // namespace graphpatcher::backend
