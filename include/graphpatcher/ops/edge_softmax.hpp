// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/edge_softmax.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/ops/detail/message_checks.hpp"

/// Attention over edges. Arrays over edges are edges x H, one row an edge in the
/// order of the message graph's `sources`, one column a head. Node arrays of H
/// heads of D channels are n x (H·D), head by head.
namespace graphpatcher {

/// out(i, h) = Σ_d z(i, h·D + d) · l(0, h·D + d), H = out.cols().
template <class T>
void head_dot(const executor& exec, std::type_identity_t<matrix_view<const T>> z,
              std::type_identity_t<matrix_view<const T>> l, matrix_view<T> out) {
  expects<shape_error>(out.cols() > 0 && z.cols() % out.cols() == 0, "head_dot: ", z.cols(),
                       " columns do not split into ", out.cols(), " equal heads");
  expects_shape(l, 1, z.cols(), "head_dot: l");
  expects_shape(out, z.rows(), out.cols(), "head_dot: out");
  exec.visit([&](const auto& on) { backend::head_dot(on, z, l, out); });
}

/// z_gradient(i, c) += gradient(i, head of c) · l(0, c)
template <class T>
void head_dot_adjoint_z(const executor& exec, std::type_identity_t<matrix_view<const T>> l,
                        std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> z_gradient) {
  expects_shape(l, 1, z_gradient.cols(), "head_dot_adjoint_z: l");
  expects<shape_error>(
      gradient.rows() == z_gradient.rows() && gradient.cols() > 0 && z_gradient.cols() % gradient.cols() == 0,
      "head_dot_adjoint_z: a gradient of ", gradient.rows(), " x ", gradient.cols(), " does not fit z of ",
      z_gradient.rows(), " x ", z_gradient.cols());
  exec.visit([&](const auto& on) { backend::head_dot_adjoint_z(on, l, gradient, z_gradient); });
}

/// l_gradient(0, c) += Σ_i gradient(i, head of c) · z(i, c), rows ascending
template <class T>
void head_dot_adjoint_l(const executor& exec, std::type_identity_t<matrix_view<const T>> z,
                        std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> l_gradient) {
  expects_shape(l_gradient, 1, z.cols(), "head_dot_adjoint_l: l_gradient");
  expects<shape_error>(gradient.rows() == z.rows() && gradient.cols() > 0 && z.cols() % gradient.cols() == 0,
                       "head_dot_adjoint_l: a gradient of ", gradient.rows(), " x ", gradient.cols(),
                       " does not fit z of ", z.rows(), " x ", z.cols());
  exec.visit([&](const auto& on) { backend::head_dot_adjoint_l(on, z, gradient, l_gradient); });
}

/// out(e, h) = leaky_relu(el(source of e, h) + er(row of e, h)). The slope for
/// negative sums is not negative itself, so the sign of a score tells its side.
template <class T, graph_index I>
void edge_scores(const executor& exec, const message_block<I>& block, std::type_identity_t<matrix_view<const T>> el,
                 std::type_identity_t<matrix_view<const T>> er, std::type_identity_t<T> slope, matrix_view<T> out) {
  expects_block(block, "edge_scores");
  expects(slope >= 0, "edge_scores: expected a slope of at least 0, got ", slope);
  expects<shape_error>(el.rows() >= block.source_rows() && er.rows() >= block.rows() && el.cols() == er.cols(),
                       "edge_scores: expected el of at least ", block.source_rows(), " rows and er of at least ",
                       block.rows(), " with as many columns, got ", el.rows(), " x ", el.cols(), " and ", er.rows(),
                       " x ", er.cols());
  expects_shape(out, block.edges(), el.cols(), "edge_scores: out");
  exec.visit([&](const auto& on) { backend::edge_scores<T, I>(on, block.on(on), el, er, slope, out); });
}

/// Adds the adjoint with respect to er: each row sums over its own edges.
/// `scores` is the forward result.
template <class T, graph_index I>
void edge_scores_adjoint_rows(const executor& exec, const message_block<I>& block,
                              std::type_identity_t<matrix_view<const T>> scores, std::type_identity_t<T> slope,
                              std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> er_gradient) {
  expects_block(block, "edge_scores_adjoint_rows");
  expects_shape(scores, block.edges(), er_gradient.cols(), "edge_scores_adjoint_rows: scores");
  expects_shape(gradient, block.edges(), er_gradient.cols(), "edge_scores_adjoint_rows: gradient");
  expects<shape_error>(er_gradient.rows() >= block.rows(), "edge_scores_adjoint_rows: expected at least ", block.rows(),
                       " rows of er_gradient, got ", er_gradient.rows());
  exec.visit([&](const auto& on) {
    backend::edge_scores_adjoint_rows<T, I>(on, block.on(on), scores, slope, gradient, er_gradient);
  });
}

/// Adds the adjoint with respect to el: each source sums over the edges it
/// sends along, through the reverse graph in ascending order of the receivers.
template <class T, graph_index I>
void edge_scores_adjoint_sources(const executor& exec, const message_block<I>& block,
                                 std::type_identity_t<matrix_view<const T>> scores, std::type_identity_t<T> slope,
                                 std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> el_gradient) {
  expects_block(block, "edge_scores_adjoint_sources");
  expects_shape(scores, block.edges(), el_gradient.cols(), "edge_scores_adjoint_sources: scores");
  expects_shape(gradient, block.edges(), el_gradient.cols(), "edge_scores_adjoint_sources: gradient");
  expects<shape_error>(el_gradient.rows() >= block.source_rows(), "edge_scores_adjoint_sources: expected at least ",
                       block.source_rows(), " rows of el_gradient, got ", el_gradient.rows());
  exec.visit([&](const auto& on) {
    backend::edge_scores_adjoint_sources<T, I>(on, block.both_ways_on(on), scores, slope, gradient, el_gradient);
  });
}

/// out(e, h) = exp(scores(e, h) - m) / Σ over the edges of e's row of the same,
/// m = the row's largest score, or 0 where all of them are near it: no exponential overflows.
template <class T, graph_index I>
void edge_softmax(const executor& exec, std::span<const I> offsets, std::type_identity_t<matrix_view<const T>> scores,
                  matrix_view<T> out) {
  expects<shape_error>(!offsets.empty(), "edge_softmax: expected at least 1 offset, got none");
  expects_offsets(offsets, offsets.size() - 1, scores.rows(), "edge_softmax");
  expects_shape(out, scores.rows(), scores.cols(), "edge_softmax: out");
  exec.visit([&](const auto& on) { backend::edge_softmax<T, I>(on, backend::resident(on, offsets), scores, out); });
}

/// The same for the edges of a block, which a GPU keeps.
template <class T, graph_index I>
void edge_softmax(const executor& exec, const message_block<I>& block, input_view<T> scores, matrix_view<T> out) {
  expects_rows(block, "edge_softmax");
  expects_shape(scores, block.edges(), out.cols(), "edge_softmax: scores");
  expects_shape(out, block.edges(), out.cols(), "edge_softmax: out");
  exec.visit([&](const auto& on) { backend::edge_softmax<T, I>(on, block.on(on).offsets, scores, out); });
}

/// scores_gradient(e, h) += α(e, h) · (gradient(e, h) - Σ over e's row of α · gradient)
template <class T, graph_index I>
void edge_softmax_adjoint(const executor& exec, std::span<const I> offsets,
                          std::type_identity_t<matrix_view<const T>> alpha,
                          std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> scores_gradient) {
  expects<shape_error>(!offsets.empty(), "edge_softmax_adjoint: expected at least 1 offset, got none");
  expects_offsets(offsets, offsets.size() - 1, alpha.rows(), "edge_softmax_adjoint");
  expects_shape(gradient, alpha.rows(), alpha.cols(), "edge_softmax_adjoint: gradient");
  expects_shape(scores_gradient, alpha.rows(), alpha.cols(), "edge_softmax_adjoint: scores_gradient");
  exec.visit([&](const auto& on) {
    backend::edge_softmax_adjoint<T, I>(on, backend::resident(on, offsets), alpha, gradient, scores_gradient);
  });
}

template <class T, graph_index I>
void edge_softmax_adjoint(const executor& exec, const message_block<I>& block, input_view<T> alpha,
                          input_view<T> gradient, matrix_view<T> scores_gradient) {
  expects_rows(block, "edge_softmax_adjoint");
  expects_shape(alpha, block.edges(), scores_gradient.cols(), "edge_softmax_adjoint: alpha");
  expects_shape(gradient, block.edges(), scores_gradient.cols(), "edge_softmax_adjoint: gradient");
  expects_shape(scores_gradient, block.edges(), scores_gradient.cols(), "edge_softmax_adjoint: scores_gradient");
  exec.visit([&](const auto& on) {
    backend::edge_softmax_adjoint<T, I>(on, block.on(on).offsets, alpha, gradient, scores_gradient);
  });
}

}  // namespace graphpatcher
