// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/edge_view.hpp"
#include "graphpatcher/operands/elements.hpp"
#include "graphpatcher/operands/feature_rows.hpp"
#include "graphpatcher/operands/gemm_operand.hpp"
#include "graphpatcher/operands/optimizer_steps.hpp"
#include "graphpatcher/operands/spmm_scales.hpp"

/// The operations of the processor as a table of functions, which graphpatcher::compiled
/// fills once for each instruction level (kernels/cpu/operations.cpp). Programs that
/// link it call through the table of the level that was chosen when they started.
///
/// X(entry, name, parameters, arguments): an operation of backend::, and the name of
/// its place in the table where several share theirs.

// clang-format off
#define GP_DENSE_OPERATIONS(X)                                                                                        \
  X(gemm, gemm, (const cpu& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<T> c, bool accumulate), (exec, a, \
    b, c, accumulate))                                                                                                \
  X(gemm_bias, gemm_bias, (const cpu& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<const T> bias,          \
    bool relu, matrix_view<T> c), (exec, a, b, bias, relu, c))                                                        \
  X(add_column_sums, add_column_sums, (const cpu& exec, matrix_view<const T> x, T* sums), (exec, x, sums))            \
  X(sum_all, sum_all, (const cpu& exec, matrix_view<const T> x, T factor, bool accumulate, matrix_view<T> out),       \
    (exec, x, factor, accumulate, out))                                                                               \
  X(add_scalar, add_scalar, (const cpu& exec, matrix_view<const T> g, matrix_view<T> out), (exec, g, out))            \
  X(scale_rows, scale_rows, (const cpu& exec, std::span<const T> weights, matrix_view<T> x), (exec, weights, x))      \
  X(prelu, prelu, (const cpu& exec, input_view<T> x, input_view<T> slope, matrix_view<T> y), (exec, x, slope, y))     \
  X(prelu_adjoint, prelu_adjoint, (const cpu& exec, input_view<T> x, input_view<T> slope, input_view<T> g,            \
    matrix_view<T> dx), (exec, x, slope, g, dx))                                                                      \
  X(prelu_slope_adjoint, prelu_slope_adjoint, (const cpu& exec, input_view<T> x, input_view<T> g,                     \
    matrix_view<T> dslope), (exec, x, g, dslope))                                                                     \
  X(layer_norm, layer_norm, (const cpu& exec, matrix_view<const T> x, matrix_view<const T> gain,                      \
    matrix_view<const T> shift, T eps, std::span<T> mean, std::span<T> inverse_deviation, matrix_view<T> out), (exec, \
    x, gain, shift, eps, mean, inverse_deviation, out))                                                               \
  X(layer_norm_adjoint, layer_norm_adjoint, (const cpu& exec, matrix_view<const T> x, matrix_view<const T> gain,      \
    std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<const T> gradient,                     \
    matrix_view<T> x_gradient), (exec, x, gain, mean, inverse_deviation, gradient, x_gradient))                       \
  X(batch_moments, batch_moments, (const cpu& exec, matrix_view<const T> x, T momentum, T eps,                        \
    std::span<T> running_mean, std::span<T> running_variance, std::span<T> mean, std::span<T> inverse_deviation),     \
    (exec, x, momentum, eps, running_mean, running_variance, mean, inverse_deviation))                                \
  X(running_moments, running_moments, (const cpu& exec, std::span<const T> running_mean,                              \
    std::span<const T> running_variance, T eps, std::span<T> mean, std::span<T> inverse_deviation), (exec,            \
    running_mean, running_variance, eps, mean, inverse_deviation))                                                    \
  X(normalise_columns, normalise_columns, (const cpu& exec, matrix_view<const T> x, matrix_view<const T> gain,        \
    matrix_view<const T> shift, std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<T> out),   \
    (exec, x, gain, shift, mean, inverse_deviation, out))                                                             \
  X(batch_norm_adjoint, batch_norm_adjoint, (const cpu& exec, bool training, matrix_view<const T> x,                  \
    matrix_view<const T> gain, std::span<const T> mean, std::span<const T> inverse_deviation,                         \
    matrix_view<const T> gradient, matrix_view<T> x_gradient), (exec, training, x, gain, mean, inverse_deviation,     \
    gradient, x_gradient))                                                                                            \
  X(norm_gain_adjoint, norm_gain_adjoint, (const cpu& exec, bool by_rows, matrix_view<const T> x,                     \
    std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<const T> gradient,                     \
    matrix_view<T> gain_gradient), (exec, by_rows, x, mean, inverse_deviation, gradient, gain_gradient))              \
  X(norm_shift_adjoint, norm_shift_adjoint, (const cpu& exec, matrix_view<const T> gradient,                          \
    matrix_view<T> shift_gradient), (exec, gradient, shift_gradient))                                                 \
  X(head_dot, head_dot, (const cpu& exec, matrix_view<const T> z, matrix_view<const T> l, matrix_view<T> out), (exec, \
    z, l, out))                                                                                                       \
  X(head_dot_adjoint_z, head_dot_adjoint_z, (const cpu& exec, matrix_view<const T> l, matrix_view<const T> gradient,  \
    matrix_view<T> z_gradient), (exec, l, gradient, z_gradient))                                                      \
  X(head_dot_adjoint_l, head_dot_adjoint_l, (const cpu& exec, matrix_view<const T> z, matrix_view<const T> gradient,  \
    matrix_view<T> l_gradient), (exec, z, gradient, l_gradient))                                                      \
  X(softmax, softmax, (const cpu& exec, matrix_view<const T> x, matrix_view<T> out), (exec, x, out))                  \
  X(softmax_adjoint, softmax_adjoint, (const cpu& exec, matrix_view<const T> p, matrix_view<const T> gradient,        \
    matrix_view<T> x_gradient), (exec, p, gradient, x_gradient))                                                      \
  X(log_softmax, log_softmax, (const cpu& exec, matrix_view<const T> x, matrix_view<T> out), (exec, x, out))          \
  X(log_softmax_adjoint, log_softmax_adjoint, (const cpu& exec, matrix_view<const T> y,                               \
    matrix_view<const T> gradient, matrix_view<T> x_gradient), (exec, y, gradient, x_gradient))                       \
  X(kl_divergence, kl_divergence, (const cpu& exec, matrix_view<const T> targets, matrix_view<const T> logits,        \
    std::size_t samples, T eps, std::span<T> losses, matrix_view<T> slopes), (exec, targets, logits, samples, eps,    \
    losses, slopes))                                                                                                  \
  X(released_sample_loss, released_sample_loss, (const cpu& exec, matrix_view<const T> target_logits,                 \
    matrix_view<const T> logits, std::size_t samples, std::span<T> losses, matrix_view<T> slopes), (exec,             \
    target_logits, logits, samples, losses, slopes))                                                                  \
  X(adam_step, adam_step, (const cpu& exec, std::span<const adam_item<T>> items), (exec, items))                      \
  X(gemm_adam_step, gemm_adam_step, (const cpu& exec, gemm_operand<T> a, gemm_operand<T> b,                           \
    matrix_view<const T> extra, const adam_item<T>& item), (exec, a, b, extra, item))                                 \
  X(sgd_step, sgd_step, (const cpu& exec, std::span<const sgd_item<T>> items), (exec, items))

/// Element by element.
#define GP_ELEMENT_OPERATIONS(X)                                                                                      \
  X(map_constant, map, (const cpu& exec, matrix_view<T> out, elements::constant<T> f), (exec, out, f))                \
  X(map_identity, map, (const cpu& exec, matrix_view<T> out, elements::identity<T> f, const matrix_view<const T>& a), \
    (exec, out, f, a))                                                                                                \
  X(map_sum, map, (const cpu& exec, matrix_view<T> out, elements::sum<T> f, const matrix_view<const T>& a,            \
    const matrix_view<const T>& b), (exec, out, f, a, b))                                                             \
  X(map_difference, map, (const cpu& exec, matrix_view<T> out, elements::difference<T> f,                             \
    const matrix_view<const T>& a, const matrix_view<const T>& b), (exec, out, f, a, b))                              \
  X(map_product, map, (const cpu& exec, matrix_view<T> out, elements::product<T> f, const matrix_view<const T>& a,    \
    const matrix_view<const T>& b), (exec, out, f, a, b))                                                             \
  X(map_multiple, map, (const cpu& exec, matrix_view<T> out, elements::multiple<T> f, const matrix_view<const T>& a), \
    (exec, out, f, a))                                                                                                \
  X(map_relu, map, (const cpu& exec, matrix_view<T> out, elements::relu<T> f, const matrix_view<const T>& a), (exec,  \
    out, f, a))                                                                                                       \
  X(map_elu, map, (const cpu& exec, matrix_view<T> out, elements::elu<T> f, const matrix_view<const T>& a), (exec,    \
    out, f, a))                                                                                                       \
  X(map_leaky_relu, map, (const cpu& exec, matrix_view<T> out, elements::leaky_relu<T> f,                             \
    const matrix_view<const T>& a), (exec, out, f, a))                                                                \
  X(map_add_identity, map_add, (const cpu& exec, matrix_view<T> out, elements::identity<T> f,                         \
    const matrix_view<const T>& a), (exec, out, f, a))                                                                \
  X(map_add_product, map_add, (const cpu& exec, matrix_view<T> out, elements::product<T> f,                           \
    const matrix_view<const T>& a, const matrix_view<const T>& b), (exec, out, f, a, b))                              \
  X(map_add_multiple, map_add, (const cpu& exec, matrix_view<T> out, elements::multiple<T> f,                         \
    const matrix_view<const T>& a), (exec, out, f, a))                                                                \
  X(map_add_relu_slope, map_add, (const cpu& exec, matrix_view<T> out, elements::relu_slope<T> f,                     \
    const matrix_view<const T>& a, const matrix_view<const T>& b), (exec, out, f, a, b))                              \
  X(map_add_elu_slope, map_add, (const cpu& exec, matrix_view<T> out, elements::elu_slope<T> f,                       \
    const matrix_view<const T>& a, const matrix_view<const T>& b, const matrix_view<const T>& c), (exec, out, f, a,   \
    b, c))                                                                                                            \
  X(map_add_leaky_relu_slope, map_add, (const cpu& exec, matrix_view<T> out, elements::leaky_relu_slope<T> f,         \
    const matrix_view<const T>& a, const matrix_view<const T>& b), (exec, out, f, a, b))

#define GP_GRAPH_OPERATIONS(X)                                                                                        \
  X(sparse_gemm, sparse_gemm, (const cpu& exec, const feature_rows<T, I>& x, input_view<T> w, matrix_view<T> out),     \
    (exec, x, w, out))                                                                                                \
  X(sparse_gemm_adjoint, sparse_gemm_adjoint, (const cpu& exec, const feature_rows<T, I>& x, input_view<T> g,          \
    matrix_view<T> dw), (exec, x, g, dw))                                                                             \
  X(sparse_to_dense, sparse_to_dense, (const cpu& exec, const feature_rows<T, I>& x, matrix_view<T> out), (exec, x,    \
    out))                                                                                                             \
  X(spmm, spmm, (const cpu& exec, const edge_view<I>& edges, const spmm_scales<T>& scales, std::span<const I> gather, \
    matrix_view<const T> x, matrix_view<T> out), (exec, edges, scales, gather, x, out))                               \
  X(spmm_adjoint, spmm_adjoint, (const cpu& exec, const edge_view<I>& edges, const spmm_scales<T>& scales,            \
    matrix_view<const T> gradient, matrix_view<T> x_gradient), (exec, edges, scales, gradient, x_gradient))           \
  X(spmm_weights_adjoint, spmm_weights_adjoint, (const cpu& exec, const edge_view<I>& edges,                          \
    const spmm_scales<T>& scales, matrix_view<const T> gradient, matrix_view<const T> x,                              \
    matrix_view<T> weights_gradient), (exec, edges, scales, gradient, x, weights_gradient))                           \
  X(segment_sum, segment_sum, (const cpu& exec, std::span<const I> offsets, bool mean, matrix_view<const T> x,        \
    matrix_view<T> out), (exec, offsets, mean, x, out))                                                               \
  X(segment_sum_adjoint, segment_sum_adjoint, (const cpu& exec, std::span<const I> offsets, bool mean,                \
    matrix_view<const T> gradient, matrix_view<T> x_gradient), (exec, offsets, mean, gradient, x_gradient))           \
  X(segment_max, segment_max, (const cpu& exec, std::span<const I> offsets, std::span<const I> sources,               \
    matrix_view<const T> x, std::span<I> winners, matrix_view<T> out), (exec, offsets, sources, x, winners, out))     \
  X(segment_max_adjoint, segment_max_adjoint, (const cpu& exec, const edge_view<I>& edges,                            \
    std::span<const I> winners, matrix_view<const T> gradient, matrix_view<T> x_gradient), (exec, edges, winners,     \
    gradient, x_gradient))                                                                                            \
  X(segment_max_adjoint_rows, segment_max_adjoint, (const cpu& exec, std::span<const I> winners,                      \
    matrix_view<const T> gradient, matrix_view<T> x_gradient), (exec, winners, gradient, x_gradient))                 \
  X(gather_rows, gather_rows, (const cpu& exec, input_view<T> x, std::span<const I> ids, matrix_view<T> out), (exec,  \
    x, ids, out))                                                                                                     \
  X(scatter_add_rows, scatter_add_rows, (const cpu& exec, input_view<T> x, std::span<const I> ids, T factor,          \
    matrix_view<T> out), (exec, x, ids, factor, out))                                                                 \
  X(sparse_dropout, sparse_dropout, (const cpu& exec, random_stream stream, double probability,                       \
    const feature_rows<T, I>& x, std::span<const std::size_t> offsets, std::span<T> values), (exec, stream,            \
    probability, x, offsets, values))                                                                                 \
  X(edge_scores, edge_scores, (const cpu& exec, const edge_view<I>& edges, matrix_view<const T> el,                   \
    matrix_view<const T> er, T slope, matrix_view<T> out), (exec, edges, el, er, slope, out))                         \
  X(edge_scores_adjoint_rows, edge_scores_adjoint_rows, (const cpu& exec, const edge_view<I>& edges,                  \
    matrix_view<const T> scores, T slope, matrix_view<const T> gradient, matrix_view<T> er_gradient), (exec, edges,   \
    scores, slope, gradient, er_gradient))                                                                            \
  X(edge_scores_adjoint_sources, edge_scores_adjoint_sources, (const cpu& exec, const edge_view<I>& edges,            \
    matrix_view<const T> scores, T slope, matrix_view<const T> gradient, matrix_view<T> el_gradient), (exec, edges,   \
    scores, slope, gradient, el_gradient))                                                                            \
  X(edge_softmax, edge_softmax, (const cpu& exec, std::span<const I> offsets, matrix_view<const T> scores,            \
    matrix_view<T> out), (exec, offsets, scores, out))                                                                \
  X(edge_softmax_adjoint, edge_softmax_adjoint, (const cpu& exec, std::span<const I> offsets,                         \
    matrix_view<const T> alpha, matrix_view<const T> gradient, matrix_view<T> scores_gradient), (exec, offsets,       \
    alpha, gradient, scores_gradient))                                                                                \
  X(cross_entropy, cross_entropy, (const cpu& exec, matrix_view<const T> logits, std::span<const I> rows,             \
    std::span<const I> labels, std::span<T> losses, matrix_view<T> slopes), (exec, logits, rows, labels, losses,      \
    slopes))                                                                                                          \
  X(add_slopes, add_slopes, (const cpu& exec, matrix_view<const T> slopes, std::span<const I> rows, T weight,         \
    matrix_view<const T> loss_gradient, matrix_view<T> logits_gradient), (exec, slopes, rows, weight, loss_gradient,  \
    logits_gradient))
// clang-format on

namespace graphpatcher::backend {

#define GP_ENTRY(entry, name, parameters, arguments) void(*entry) parameters;

/// Operations on dense matrices of T.
template <class T>
struct dense_operations {
  GP_DENSE_OPERATIONS(GP_ENTRY)
  GP_ELEMENT_OPERATIONS(GP_ENTRY)
};

/// Operations on messages and sparse rows: numbers T, ids I.
template <class T, graph_index I>
struct graph_operations {
  using dropout_function = void(const cpu& exec, random_stream stream, double probability, std::span<const I> keys,
                                input_view<T> x, matrix_view<T> y);

  GP_GRAPH_OPERATIONS(GP_ENTRY)
  dropout_function* dropout;
  dropout_function* dropout_add;
};

#undef GP_ENTRY

}  // namespace graphpatcher::backend

#if GP_BUILDS_LEVEL

namespace graphpatcher::compiled::inline GP_LEVEL {

/// A part of a level's table, filled in the file that compiles its functions.
template <class Part>
struct filled {
  static const Part part;
};

}  // namespace graphpatcher::compiled::inline GP_LEVEL

#endif

#if GP_CALLS_OPERATIONS

namespace graphpatcher::compiled {

#if GP_BUILDS_LEVEL
inline namespace GP_LEVEL {

// The files of a level call its own.
template <class T>
const backend::dense_operations<T>& dense_operations() {
  return filled<backend::dense_operations<T>>::part;
}
template <class T, graph_index I>
const backend::graph_operations<T, I>& graph_operations() {
  return filled<backend::graph_operations<T, I>>::part;
}

}  // namespace GP_LEVEL
#else

/// Of the level that was chosen, for float and double, std::int32_t and std::int64_t.
template <class T>
const backend::dense_operations<T>& dense_operations();
template <class T, graph_index I>
const backend::graph_operations<T, I>& graph_operations();

#endif

}  // namespace graphpatcher::compiled

namespace graphpatcher::backend {

// clang-format off
#define GP_FORWARD(entry, name, parameters, arguments)       \
  template <class T>                                         \
  void name parameters {                                     \
    compiled::dense_operations<T>().entry arguments;         \
  }
GP_DENSE_OPERATIONS(GP_FORWARD)
GP_ELEMENT_OPERATIONS(GP_FORWARD)
#undef GP_FORWARD

#define GP_FORWARD(entry, name, parameters, arguments)       \
  template <class T, graph_index I>                          \
  void name parameters {                                     \
    compiled::graph_operations<T, I>().entry arguments;      \
  }
GP_GRAPH_OPERATIONS(GP_FORWARD)
#undef GP_FORWARD
// clang-format on

template <bool Accumulate, class T, graph_index I>
void dropout(const cpu& exec, random_stream stream, double probability, std::span<const I> keys, input_view<T> x,
             matrix_view<T> y) {
  const auto& table = compiled::graph_operations<T, I>();
  (Accumulate ? table.dropout_add : table.dropout)(exec, stream, probability, keys, x, y);
}

}  // namespace graphpatcher::backend

#endif
