// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"
#include "graphpatcher/graph/edge_view.hpp"
#include "graphpatcher/ops/spmm_scales.hpp"

/// Row-parallel sparse products. A row is summed in its output row, which stays
/// in the nearest cache, one source after the other, vectorised over the width.
namespace graphpatcher::backend {

template <class T, graph_index I>
void spmm(const cpu& exec, const edge_view<I>& edges, const spmm_scales<T>& scales, std::span<const I> gather,
          matrix_view<const T> x, matrix_view<T> out) {
  const std::size_t heads = scales.heads();
  const std::size_t width = x.cols() / heads;
  for_each_row(exec, out.rows(), row_cost(out.rows(), edges.edges(), x.cols()), [&](std::size_t i) {
    T* const sum = out.row(i).data();
    std::fill_n(sum, x.cols(), T(0));
    const auto end = static_cast<std::size_t>(edges.offsets[i + 1]);
    for (auto e = static_cast<std::size_t>(edges.offsets[i]); e < end; ++e) {
      const auto j = static_cast<std::size_t>(edges.sources[e]);
      const T* const source = x.row(gather.empty() ? j : static_cast<std::size_t>(gather[j])).data();
      for (std::size_t h = 0; h < heads; ++h) {
        accumulate(sum + h * width, source + h * width, scales.right_of(j) * scales.weight_of(e, h), width);
      }
    }
    if (!scales.left.empty()) {
      const T scale = scales.left[i];
      for (std::size_t c = 0; c < x.cols(); ++c) {
        sum[c] *= scale;
      }
    }
  });
}

template <class T, graph_index I>
void spmm_adjoint(const cpu& exec, const edge_view<I>& edges, const spmm_scales<T>& scales,
                  matrix_view<const T> gradient, matrix_view<T> x_gradient) {
  const std::size_t heads = scales.heads();
  const std::size_t width = gradient.cols() / heads;
  const bool weighted = scales.weights.cols() != 0;
  const std::size_t count = edges.source_rows;
  for_each_row(exec, count, row_cost(count, edges.edges(), gradient.cols()), [&](std::size_t j) {
    T* const sum = x_gradient.row(j).data();
    const auto end = static_cast<std::size_t>(edges.reverse_offsets[j + 1]);
    for (auto k = static_cast<std::size_t>(edges.reverse_offsets[j]); k < end; ++k) {
      const auto i = static_cast<std::size_t>(edges.receivers[k]);
      if (i >= edges.rows()) {
        break;  // receivers ascend
      }
      const T scale = scales.right_of(j) * scales.left_of(i);
      const auto e = weighted ? static_cast<std::size_t>(edges.reverse_edges[k]) : std::size_t{0};
      for (std::size_t h = 0; h < heads; ++h) {
        accumulate(sum + h * width, gradient.row(i).data() + h * width, scale * scales.weight_of(e, h), width);
      }
    }
  });
}

template <class T, graph_index I>
void spmm_weights_adjoint(const cpu& exec, const edge_view<I>& edges, const spmm_scales<T>& scales,
                          matrix_view<const T> gradient, matrix_view<const T> x, matrix_view<T> weights_gradient) {
  const std::size_t heads = weights_gradient.cols();
  const std::size_t width = x.cols() / heads;
  for_each_row(exec, edges.rows(), row_cost(edges.rows(), edges.edges(), x.cols()), [&](std::size_t i) {
    const auto end = static_cast<std::size_t>(edges.offsets[i + 1]);
    for (auto e = static_cast<std::size_t>(edges.offsets[i]); e < end; ++e) {
      const auto j = static_cast<std::size_t>(edges.sources[e]);
      const T scale = scales.left_of(i) * scales.right_of(j);
      for (std::size_t h = 0; h < heads; ++h) {
        weights_gradient(e, h) += scale * dot(gradient.row(i).data() + h * width, x.row(j).data() + h * width, width);
      }
    }
  });
}

}  // namespace graphpatcher::backend
