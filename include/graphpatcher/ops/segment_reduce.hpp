// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/segment_reduce.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/ops/detail/message_checks.hpp"

namespace graphpatcher {

/// What becomes of the rows of a segment. An empty segment gives 0.
enum class reduction { sum, mean, max };

/// Sum or mean of the rows [offsets[s], offsets[s + 1]) of x, for each segment
/// s. For the maximum see segment_max(), which also tells the winners.
template <class T, graph_index I>
void segment_reduce(const executor& exec, std::span<const I> offsets, std::type_identity_t<matrix_view<const T>> x,
                    reduction how, matrix_view<T> out) {
  expects(how != reduction::max, "segment_reduce: expected sum or mean; call segment_max for the maximum");
  expects_offsets(offsets, out.rows(), x.rows(), "segment_reduce");
  expects_shape(out, out.rows(), x.cols(), "segment_reduce: out");
  exec.visit([&](const auto& on) {
    backend::segment_sum<T, I>(on, backend::resident(on, offsets), how == reduction::mean, x, out);
  });
}

/// Adds the adjoint of segment_reduce: every row of a segment gets the
/// segment's gradient, for the mean divided by the segment's length.
template <class T, graph_index I>
void segment_reduce_adjoint(const executor& exec, std::span<const I> offsets, reduction how,
                            std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> x_gradient) {
  expects(how != reduction::max, "segment_reduce_adjoint: expected sum or mean; call segment_max_adjoint");
  expects_offsets(offsets, gradient.rows(), x_gradient.rows(), "segment_reduce_adjoint");
  expects_shape(gradient, gradient.rows(), x_gradient.cols(), "segment_reduce_adjoint: gradient");
  exec.visit([&](const auto& on) {
    backend::segment_sum_adjoint<T, I>(on, backend::resident(on, offsets), how == reduction::mean, gradient,
                                       x_gradient);
  });
}

/// Largest value of each column over the sources of a row, and where it stands:
///
///   out(i, c) = max over e in [offsets[i], offsets[i + 1]) of x(sources[e], c)
///   winners[i * cols + c] = that e, the lowest on ties; -1 where a row has no source (out is 0 there)
///
/// NaN wins over every number, so that it is seen.
template <class T, graph_index I>
void segment_max(const executor& exec, std::span<const I> offsets, std::type_identity_t<std::span<const I>> sources,
                 std::type_identity_t<matrix_view<const T>> x, std::span<I> winners, matrix_view<T> out) {
  expects_offsets(offsets, out.rows(), sources.size(), "segment_max");
  expects_ids(sources, x.rows(), "segment_max: sources");
  expects_shape(out, out.rows(), x.cols(), "segment_max: out");
  expects<shape_error>(winners.size() == out.size(), "segment_max: expected ", out.size(), " winners, got ",
                       winners.size());
  exec.visit([&](const auto& on) {
    backend::segment_max<T, I>(on, backend::resident(on, offsets), backend::resident(on, sources), x, winners, out);
  });
}

/// The same over rows of x that stand together: entry e is row e.
template <class T, graph_index I>
void segment_max(const executor& exec, std::span<const I> offsets, std::type_identity_t<matrix_view<const T>> x,
                 std::span<I> winners, matrix_view<T> out) {
  expects_offsets(offsets, out.rows(), x.rows(), "segment_max");
  expects_shape(out, out.rows(), x.cols(), "segment_max: out");
  expects<shape_error>(winners.size() == out.size(), "segment_max: expected ", out.size(), " winners, got ",
                       winners.size());
  exec.visit(
      [&](const auto& on) { backend::segment_max<T, I>(on, backend::resident(on, offsets), {}, x, winners, out); });
}

/// The same over the edges of a block: x has a row a source.
template <class T, graph_index I>
void segment_max(const executor& exec, const message_block<I>& block, input_view<T> x, std::span<I> winners,
                 matrix_view<T> out) {
  expects_block(block, "segment_max");
  expects<shape_error>(x.rows() >= block.source_rows(), "segment_max: expected at least ", block.source_rows(),
                       " rows of x, got ", x.rows());
  expects_shape(out, block.rows(), x.cols(), "segment_max: out");
  expects<shape_error>(winners.size() == out.size(), "segment_max: expected ", out.size(), " winners, got ",
                       winners.size());
  exec.visit([&](const auto& on) {
    const auto edges = block.on(on);
    backend::segment_max<T, I>(on, edges.offsets, edges.sources, x, winners, out);
  });
}

namespace detail {

/// Throws unless there is a winner a component; on the host also unless each is
/// one of `entries` or -1.
template <class T, graph_index I>
void check_winners(const executor& exec, std::span<const I> winners, matrix_view<const T> gradient,
                   std::size_t entries) {
  expects<shape_error>(winners.size() == gradient.size(), "segment_max_adjoint: expected ", gradient.size(),
                       " winners, got ", winners.size());
  expects<index_error>(!exec.on_host() || backend::ids_are_below<I>(winners, entries, -1),
                       "segment_max_adjoint: expected winners in [-1, ", entries, ")");
}

}  // namespace detail

/// Adds the adjoint of segment_max over a block: each component's gradient goes
/// to its one winner.
template <class T, graph_index I>
void segment_max_adjoint(const executor& exec, const message_block<I>& block,
                         std::type_identity_t<std::span<const I>> winners, input_view<T> gradient,
                         matrix_view<T> x_gradient) {
  expects_block(block, "segment_max_adjoint");
  expects_shape(gradient, block.rows(), x_gradient.cols(), "segment_max_adjoint: gradient");
  expects<shape_error>(x_gradient.rows() >= block.source_rows(), "segment_max_adjoint: expected at least ",
                       block.source_rows(), " rows of x_gradient, got ", x_gradient.rows());
  detail::check_winners<T, I>(exec, winners, gradient, block.edges());
  exec.visit([&](const auto& on) {
    backend::segment_max_adjoint<T, I>(on, block.both_ways_on(on), winners, gradient, x_gradient);
  });
}

/// The same over rows that stand together: entry e is row e.
template <class T, graph_index I>
void segment_max_adjoint(const executor& exec, std::span<const I> winners, input_view<T> gradient,
                         matrix_view<T> x_gradient) {
  expects_shape(gradient, gradient.rows(), x_gradient.cols(), "segment_max_adjoint: gradient");
  detail::check_winners<T, I>(exec, winners, gradient, x_gradient.rows());
  exec.visit([&](const auto& on) { backend::segment_max_adjoint<T, I>(on, winners, gradient, x_gradient); });
}

}  // namespace graphpatcher
