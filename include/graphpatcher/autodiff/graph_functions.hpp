// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "graphpatcher/autodiff/common_tape.hpp"
#include "graphpatcher/autodiff/tape.hpp"
#include "graphpatcher/graph/message_graph.hpp"
#include "graphpatcher/ops/edge_softmax.hpp"
#include "graphpatcher/ops/segment_reduce.hpp"
#include "graphpatcher/ops/spmm.hpp"

/// Message passing on a tape. A node matrix has a row for each of the first
/// block.source_rows() local nodes (further rows are not read); results have
/// one for each of the block.rows() receiving rows. The graph behind a block,
/// and every span, must live until the backward pass is over.
namespace graphpatcher {

namespace detail {

/// The rows of x that a block reads.
template <class T, graph_index I>
matrix_view<const T> source_values(const message_block<I>& block, const variable<T>& x, const char* name) {
  expects<shape_error>(x.rows() >= block.source_rows(), name, ": expected at least ", block.source_rows(),
                       " rows, one a source of the block, got ", x.rows());
  return x.value().middle_rows(0, block.source_rows());
}

}  // namespace detail

/// Sum of what each row receives, normalised (see `normalisation`).
template <class T, graph_index I>
variable<T> aggregate(const message_block<I>& block, const variable<T>& x, normalisation how) {
  auto& t = common_tape("aggregate", x);
  expects_block(block, "aggregate");
  const auto scales = normalisation_scales<T>(block, how, t.memory());
  auto y = t.allocate(block.rows(), x.cols());
  spmm(t.exec(), block, scales, detail::source_values(block, x, "aggregate"), y);
  return t.record(y, {x}, [block, x, scales](const variable<T>& result) {
    spmm_adjoint(result.exec(), block, scales, matrix_view<const T>(result.gradient()), x.gradient());
  });
}

/// Largest value of each column over a row's sources, 0 without any. The
/// gradient of a component goes to its one winner, the first on ties.
template <class T, graph_index I>
variable<T> segment_max(const message_block<I>& block, const variable<T>& x) {
  auto& t = common_tape("segment_max", x);
  expects_block(block, "segment_max");
  auto y = t.allocate(block.rows(), x.cols());
  const std::span<I> winners(t.memory().template allocate<I>(y.size()), y.size());
  segment_max(t.exec(), block, detail::source_values(block, x, "segment_max"), winners, y);
  return t.record(y, {x}, [block, x, winners](const variable<T>& result) {
    segment_max_adjoint(result.exec(), block, winners, result.gradient(), x.gradient());
  });
}

/// Sum, mean or maximum of consecutive rows: result row s reduces the rows
/// [offsets[s], offsets[s + 1]) of x. An empty segment gives 0.
template <class T, graph_index I>
variable<T> segment_reduce(std::span<const I> offsets, const variable<T>& x, reduction how) {
  auto& t = common_tape("segment_reduce", x);
  expects<shape_error>(!offsets.empty(), "segment_reduce: expected at least 1 offset, got none");
  auto y = t.allocate(offsets.size() - 1, x.cols());
  if (how == reduction::max) {
    const std::span<I> winners(t.memory().template allocate<I>(y.size()), y.size());
    segment_max(t.exec(), offsets, x.value(), winners, y);
    return t.record(y, {x}, [x, winners](const variable<T>& result) {
      segment_max_adjoint(result.exec(), std::span<const I>(winners), result.gradient(), x.gradient());
    });
  }
  segment_reduce(t.exec(), offsets, x.value(), how, y);
  return t.record(y, {x}, [offsets, x, how](const variable<T>& result) {
    segment_reduce_adjoint(result.exec(), offsets, how, matrix_view<const T>(result.gradient()), x.gradient());
  });
}

/// Per head, the dot product of z's slice with that of l: n x heads.
/// z: n x (heads · D), l: 1 x (heads · D).
template <class T>
variable<T> head_dot(const variable<T>& z, const variable<T>& l, std::size_t heads) {
  auto& t = common_tape("head_dot", z, l);
  auto y = t.allocate(z.rows(), heads);
  head_dot(t.exec(), z.value(), l.value(), y);
  return t.record(y, {z, l}, [z, l](const variable<T>& result) {
    const matrix_view<const T> gradient = result.gradient();
    if (z.needs_gradient()) {
      head_dot_adjoint_z(result.exec(), l.value(), gradient, z.gradient());
    }
    if (l.needs_gradient()) {
      head_dot_adjoint_l(result.exec(), z.value(), gradient, l.gradient());
    }
  });
}

/// leaky_relu(el[source] + er[row]) for each edge: edges x H. el has a row a
/// source, er at least one a receiving row; both H columns.
template <class T, graph_index I>
variable<T> edge_scores(const message_block<I>& block, const variable<T>& el, const variable<T>& er,
                        std::type_identity_t<T> slope = T(0.2)) {
  auto& t = common_tape("edge_scores", el, er);
  expects_block(block, "edge_scores");
  auto y = t.allocate(block.edges(), el.cols());
  edge_scores(t.exec(), block, el.value(), er.value(), slope, y);
  return t.record(y, {el, er}, [block, el, er, slope](const variable<T>& result) {
    const matrix_view<const T> gradient = result.gradient();
    if (el.needs_gradient()) {
      edge_scores_adjoint_sources(result.exec(), block, result.value(), slope, gradient, el.gradient());
    }
    if (er.needs_gradient()) {
      edge_scores_adjoint_rows(result.exec(), block, result.value(), slope, gradient, er.gradient());
    }
  });
}

/// Softmax of edge scores over each row's edges, head by head.
template <class T, graph_index I>
variable<T> edge_softmax(const message_block<I>& block, const variable<T>& scores) {
  auto& t = common_tape("edge_softmax", scores);
  expects_block(block, "edge_softmax");
  auto y = t.allocate(scores.rows(), scores.cols());
  edge_softmax(t.exec(), block, scores.value(), y);
  return t.record(y, {scores}, [block, scores](const variable<T>& result) {
    edge_softmax_adjoint(result.exec(), block, result.value(), result.gradient(), scores.gradient());
  });
}

/// Σ over a row's edges of alpha(e, h) · z(source, slice h): rows x (H · D).
/// alpha: edges x H, z: a row a source, H · D columns.
template <class T, graph_index I>
variable<T> weighted_aggregate(const message_block<I>& block, const variable<T>& alpha, const variable<T>& z) {
  auto& t = common_tape("weighted_aggregate", alpha, z);
  expects_block(block, "weighted_aggregate");
  expects<shape_error>(alpha.cols() > 0, "weighted_aggregate: expected at least 1 head, got alpha without columns");
  const spmm_scales<T> scales{.weights = alpha.value()};
  auto y = t.allocate(block.rows(), z.cols());
  spmm(t.exec(), block, scales, detail::source_values(block, z, "weighted_aggregate"), y);
  return t.record(y, {alpha, z}, [block, alpha, z, scales](const variable<T>& result) {
    const matrix_view<const T> gradient = result.gradient();
    if (alpha.needs_gradient()) {
      spmm_weights_adjoint(result.exec(), block, scales, gradient, z.value(), alpha.gradient());
    }
    if (z.needs_gradient()) {
      spmm_adjoint(result.exec(), block, scales, gradient, z.gradient());
    }
  });
}

}  // namespace graphpatcher
