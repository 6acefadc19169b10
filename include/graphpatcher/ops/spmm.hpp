// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "graphpatcher/core/arena.hpp"
#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/spmm.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/graph/message_graph.hpp"
#include "graphpatcher/operands/normalisation.hpp"
#include "graphpatcher/operands/spmm_scales.hpp"
#include "graphpatcher/ops/detail/message_checks.hpp"

namespace graphpatcher {

/// The scales of a block's rows and sources, in scratch memory of `memory`.
template <class T, graph_index I>
spmm_scales<T> normalisation_scales(const message_block<I>& block, normalisation how, arena& memory) {
  const auto scales_of = [&](const std::vector<I>& degrees, std::size_t count, const char* name) {
    expects<shape_error>(degrees.size() >= count, "normalisation_scales: expected ", count, " entries of ", name,
                         ", got ", degrees.size());
    return memory.generate<T>(count, [&](std::size_t i) { return degree_scale<T>(how, degrees[i]); });
  };
  spmm_scales<T> result;
  if (how != normalisation::sum) {
    result.left = scales_of(block.graph().in_degree, block.rows(), "in_degree");
  }
  if (how == normalisation::symmetric) {
    result.right = scales_of(block.graph().out_degree, block.source_rows(), "out_degree");
  }
  return result;
}

/// Sparse times dense, the sparse matrix being edges:
///
///   out_i = left_i · Σ_{e of row i} w_e · right_j · x_j,   j = sources[e]
///
/// offsets: out.rows() + 1 positions into `sources`. Sums run in the order of
/// `sources`, a whole row at a time. With weights of H columns (attention heads)
/// w_e,h applies to the h-th of H equal slices of x's columns.
/// With a `gather`, source j stands for row gather[j] of x: a feature table is
/// read in place and never copied into a batch.
/// Offsets, sources and gather are host memory and checked; a GPU gets a copy
/// with every call (pass a message_block to keep it there).
template <class T, graph_index I>
void spmm(const executor& exec, std::span<const I> offsets, std::span<const I> sources,
          const std::type_identity_t<spmm_scales<T>>& scales, std::type_identity_t<std::span<const I>> gather,
          input_view<T> x, matrix_view<T> out) {
  const std::size_t source_rows = gather.empty() ? x.rows() : gather.size();
  expects_offsets(offsets, out.rows(), sources.size(), "spmm");
  expects_ids(sources, source_rows, "spmm: sources");
  expects_ids(gather, x.rows(), "spmm: gather");
  expects_shape(out, out.rows(), x.cols(), "spmm: out");
  scales.check(out.rows(), source_rows, sources.size(), x.cols());
  exec.visit([&](const auto& on) {
    const auto offsets_there = backend::resident(on, offsets);
    const auto sources_there = backend::resident(on, sources);
    backend::spmm<T, I>(on, {offsets_there, sources_there, source_rows}, scales, backend::resident(on, gather), x, out);
  });
}

template <class T, graph_index I>
void spmm(const executor& exec, std::span<const I> offsets, std::span<const I> sources,
          const std::type_identity_t<spmm_scales<T>>& scales, input_view<T> x, matrix_view<T> out) {
  spmm<T, I>(exec, offsets, sources, scales, {}, x, out);
}

/// The same over the edges of a block: x has a row a source.
template <class T, graph_index I>
void spmm(const executor& exec, const message_block<I>& block, const std::type_identity_t<spmm_scales<T>>& scales,
          input_view<T> x, matrix_view<T> out) {
  expects_block(block, "spmm");
  expects<shape_error>(x.rows() >= block.source_rows(), "spmm: expected at least ", block.source_rows(),
                       " rows of x, got ", x.rows());
  expects_shape(out, block.rows(), x.cols(), "spmm: out");
  scales.check(block.rows(), block.source_rows(), block.edges(), x.cols());
  exec.visit([&](const auto& on) { backend::spmm<T, I>(on, block.on(on), scales, {}, x, out); });
}

/// Adds the adjoint with respect to x:
///
///   x_gradient_j += right_j · Σ_{e out of j, i < rows} w_e · left_i · gradient_i
///
/// Each source collects from its receivers through the reverse graph, in
/// ascending order: no atomics, the same bits every time.
template <class T, graph_index I>
void spmm_adjoint(const executor& exec, const message_block<I>& block,
                  const std::type_identity_t<spmm_scales<T>>& scales,
                  std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> x_gradient) {
  expects_block(block, "spmm_adjoint");
  expects_shape(gradient, block.rows(), x_gradient.cols(), "spmm_adjoint: gradient");
  expects<shape_error>(x_gradient.rows() >= block.source_rows(), "spmm_adjoint: expected at least ",
                       block.source_rows(), " rows of x_gradient, got ", x_gradient.rows());
  scales.check(block.rows(), block.source_rows(), block.edges(), x_gradient.cols());
  exec.visit(
      [&](const auto& on) { backend::spmm_adjoint<T, I>(on, block.both_ways_on(on), scales, gradient, x_gradient); });
}

/// Adds the adjoint with respect to the weights, H columns:
///   weights_gradient_e,h += left_i · right_j · <gradient_i, x_j> over slice h
template <class T, graph_index I>
void spmm_weights_adjoint(const executor& exec, const message_block<I>& block,
                          const std::type_identity_t<spmm_scales<T>>& scales,
                          std::type_identity_t<matrix_view<const T>> gradient,
                          std::type_identity_t<matrix_view<const T>> x, matrix_view<T> weights_gradient) {
  expects_block(block, "spmm_weights_adjoint");
  expects_shape(gradient, block.rows(), x.cols(), "spmm_weights_adjoint: gradient");
  expects<shape_error>(x.rows() >= block.source_rows(), "spmm_weights_adjoint: expected at least ", block.source_rows(),
                       " rows of x, got ", x.rows());
  expects_shape(weights_gradient, block.edges(), scales.heads(), "spmm_weights_adjoint: weights_gradient");
  scales.check(block.rows(), block.source_rows(), block.edges(), x.cols());
  exec.visit([&](const auto& on) {
    backend::spmm_weights_adjoint<T, I>(on, block.on(on), scales, gradient, x, weights_gradient);
  });
}

}  // namespace graphpatcher
