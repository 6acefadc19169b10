// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/packed_strips.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"
#include "graphpatcher/cpu/row_sums.hpp"
#include "graphpatcher/graph/edge_view.hpp"
#include "graphpatcher/operands/spmm_scales.hpp"

/// Sparse products: each row is a sum of source rows in registers (row_sums.hpp), rows are split among threads by their
/// edges. Wide sources that no cache keeps are packed in strips of columns (packed_strips.hpp).
namespace graphpatcher::backend::inline GP_LEVEL {

/// Calls body(head, first_col, last_col) for what each head has of the columns [first_col, last_col).
template <class Body>
void for_each_head(std::size_t heads, std::size_t cols, std::size_t first_col, std::size_t last_col, Body&& body) {
  const std::size_t width = cols / heads;
  for (std::size_t h = 0; h < heads; ++h) {
    const std::size_t begin = std::max(first_col, h * width);
    const std::size_t end = std::min(last_col, (h + 1) * width);
    if (begin < end) {
      body(h, begin, end);
    }
  }
}

/// The rows that an spmm() sums, for row_sums.hpp. `Scaled`: whether any entry differs from 1.
template <class T, graph_index I, bool Scaled>
struct spmm_rows {
  static constexpr sum_start start = sum_start::zero;

  std::span<const I> offsets;
  std::span<const I> sources;
  std::span<const I> gather;
  matrix_view<const T> x;
  matrix_view<T> out;
  spmm_scales<T> scales;
  bool far;
  std::size_t head = 0;

  std::size_t source_of(std::size_t e) const { return static_cast<std::size_t>(sources[e]); }
  row_sum<T> row(std::size_t i) const {
    return {static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1]), out.row(i).data(),
            scales.left_of(i)};
  }
  const T* source(std::size_t e) const {
    const std::size_t j = source_of(e);
    return x.row(gather.empty() ? j : static_cast<std::size_t>(gather[j])).data();
  }
  std::size_t fetchable(std::size_t) const { return far ? sources.size() : 0; }
  T scale(std::size_t, std::size_t e) const {
    return Scaled ? scales.right_of(source_of(e)) * scales.weight_of(e, head) : T(1);
  }
};

/// The rows that an spmm_adjoint() sums: one a source, over its receivers.
template <class T, graph_index I, bool Scaled>
struct spmm_adjoint_rows {
  static constexpr sum_start start = sum_start::out;

  std::span<const I> offsets;
  std::span<const I> receivers;
  std::span<const I> edges;
  std::size_t receiver_count;
  matrix_view<const T> gradient;
  matrix_view<T> x_gradient;
  spmm_scales<T> scales;
  bool far;
  std::size_t head = 0;

  std::size_t receiver_of(std::size_t k) const { return static_cast<std::size_t>(receivers[k]); }
  row_sum<T> row(std::size_t j) const {
    const auto begin = static_cast<std::size_t>(offsets[j]);
    auto end = static_cast<std::size_t>(offsets[j + 1]);
    if (begin < end && receiver_of(end - 1) >= receiver_count) {  // they ascend; the last ones are outside the block
      const auto all = receivers.subspan(begin, end - begin);
      end = begin + static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), static_cast<I>(receiver_count)) -
                                             all.begin());
    }
    return {begin, end, x_gradient.row(j).data()};
  }
  const T* source(std::size_t k) const { return gradient.row(receiver_of(k)).data(); }
  std::size_t fetchable(std::size_t) const { return far ? receivers.size() : 0; }
  T scale(std::size_t j, std::size_t k) const {
    if constexpr (!Scaled) {
      return T(1);
    }
    const T both = scales.right_of(j) * scales.left_of(receiver_of(k));
    return scales.weights.cols() == 0 ? both : both * scales.weights(static_cast<std::size_t>(edges[k]), head);
  }
};

/// Sums all rows; the columns of `rows` are those from `first` on of `cols` that the heads share equally. Rows with
/// several heads are taken a few at a time, so that the sources of one head are still near when the next one reads
/// them.
template <class T, class Rows>
void sum_heads(const cpu& exec, std::size_t cols, matrix_view<const T> sources, std::size_t first, const Rows& rows) {
  const std::size_t heads = rows.scales.heads();
  for_each_row_piece(exec, rows.offsets, sources.cols(), sources.cols(),
                     [&](std::size_t row, std::size_t last_row, std::size_t first_col, std::size_t last_col) {
                       Rows of_head = rows;
                       const std::size_t rows_a_time = heads == 1 ? last_row - row : 8;
                       for (; row < last_row; row += rows_a_time) {
                         for_each_head(heads, cols, first + first_col, first + last_col,
                                       [&](std::size_t head, std::size_t begin, std::size_t end) {
                                         of_head.head = head;
                                         sum_rows<T>(row, std::min(row + rows_a_time, last_row), begin - first,
                                                     end - first, of_head);
                                       });
                       }
                     });
}

template <class T, graph_index I>
void spmm(const cpu& exec, const edge_view<I>& edges, const spmm_scales<T>& scales, std::span<const I> gather,
          matrix_view<const T> x, matrix_view<T> out) {
  const auto run = [&]<bool Scaled>(std::bool_constant<Scaled>) {
    const auto sum = [&](matrix_view<const T> sources, std::span<const I> rows_of_sources, std::size_t first) {
      sum_heads<T>(exec, out.cols(), sources, first,
                   spmm_rows<T, I, Scaled>{edges.offsets, edges.sources, rows_of_sources, sources,
                                           out.middle_cols(first, first + sources.cols()), scales, is_far(sources)});
    };
    if (!packing_pays<T>(edges.source_rows, x.cols(), edges.edges())) {
      return sum(x, gather, 0);
    }
    for_each_packed_strip<T>(
        exec, edges.source_rows, x.cols(),
        [&](std::size_t j) { return x.row(gather.empty() ? j : static_cast<std::size_t>(gather[j])).data(); },
        [&](matrix_view<const T> strip, std::size_t first) { sum(strip, {}, first); });
  };
  if (scales.right.empty() && scales.weights.cols() == 0) {
    run(std::false_type{});
  } else {
    run(std::true_type{});
  }
}

template <class T, graph_index I>
void spmm_adjoint(const cpu& exec, const edge_view<I>& edges, const spmm_scales<T>& scales,
                  matrix_view<const T> gradient, matrix_view<T> x_gradient) {
  const auto run = [&]<bool Scaled>(std::bool_constant<Scaled>) {
    const auto sum = [&](matrix_view<const T> receivers, std::size_t first) {
      sum_heads<T>(exec, gradient.cols(), receivers, first,
                   spmm_adjoint_rows<T, I, Scaled>{edges.reverse_offsets.first(edges.source_rows + 1), edges.receivers,
                                                   edges.reverse_edges, edges.rows(), receivers,
                                                   x_gradient.middle_cols(first, first + receivers.cols()), scales,
                                                   is_far(receivers)});
    };
    if (!packing_pays<T>(edges.rows(), gradient.cols(), edges.edges())) {
      return sum(gradient, 0);
    }
    for_each_packed_strip<T>(
        exec, edges.rows(), gradient.cols(), [&](std::size_t i) { return gradient.row(i).data(); }, sum);
  };
  if (scales.left.empty() && scales.right.empty() && scales.weights.cols() == 0) {
    run(std::false_type{});
  } else {
    run(std::true_type{});
  }
}

template <class T, graph_index I>
void spmm_weights_adjoint(const cpu& exec, const edge_view<I>& edges, const spmm_scales<T>& scales,
                          matrix_view<const T> gradient, matrix_view<const T> x, matrix_view<T> weights_gradient) {
  const std::size_t heads = weights_gradient.cols();
  const std::size_t width = x.cols() / heads;
  for_each_edge_row(exec, edges.offsets, x.cols(), [&](std::size_t i, std::size_t begin, std::size_t end) {
    const T* const received = gradient.row(i).data();
    for (std::size_t e = begin; e < end; ++e) {
      const auto j = static_cast<std::size_t>(edges.sources[e]);
      const T scale = scales.left_of(i) * scales.right_of(j);
      for (std::size_t h = 0; h < heads; ++h) {
        weights_gradient(e, h) += scale * dot(received + h * width, x.row(j).data() + h * width, width);
      }
    }
  });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
