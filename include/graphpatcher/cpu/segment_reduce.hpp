// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"
#include "graphpatcher/cpu/row_sums.hpp"
#include "graphpatcher/graph/edge_view.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// The rows that a segment_sum() sums, for row_sums.hpp: they stand together, entry k is row k.
template <class T, graph_index I>
struct segment_rows {
  static constexpr sum_start start = sum_start::zero;

  std::span<const I> offsets;
  bool mean;
  matrix_view<const T> x;
  matrix_view<T> out;

  row_sum<T> row(std::size_t s) const {
    const auto begin = static_cast<std::size_t>(offsets[s]);
    const auto end = static_cast<std::size_t>(offsets[s + 1]);
    return {begin, end, out.row(s).data(), mean && end > begin ? T(1) / static_cast<T>(end - begin) : T(1)};
  }
  const T* source(std::size_t k) const { return x.row(k).data(); }
  T scale(std::size_t, std::size_t) const { return T(1); }
  std::size_t fetchable(std::size_t) const { return 0; }
};

template <class T, graph_index I>
void segment_sum(const cpu& exec, std::span<const I> offsets, bool mean, matrix_view<const T> x, matrix_view<T> out) {
  for_each_row_piece(
      exec, offsets, x.cols(), x.cols(),
      [rows = segment_rows<T, I>{offsets, mean, x, out}](auto... where) { sum_rows<T>(where..., rows); });
}

template <class T, graph_index I>
void segment_sum_adjoint(const cpu& exec, std::span<const I> offsets, bool mean, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient) {
  for_each_edge_row(exec, offsets, gradient.cols(), [&](std::size_t s, std::size_t begin, std::size_t end) {
    const T scale = mean && end > begin ? T(1) / static_cast<T>(end - begin) : T(1);
    for (std::size_t r = begin; r < end; ++r) {
      accumulate(x_gradient.row(r).data(), gradient.row(s).data(), scale, gradient.cols());
    }
  });
}

/// The largest sources of the columns of `Count` vectors, in the rows [row, last_row); a block as in row_sums.hpp. A
/// source wins if it is larger, or NaN where all before were numbers. Winners are counted from the row's first entry,
/// in integers of the size of T, so that they fit the vectors.
template <std::size_t Lanes, std::size_t Count, class T, graph_index I>
void max_block(std::size_t row, std::size_t last_row, std::size_t first, std::size_t last, std::span<const I> offsets,
               std::span<const I> sources, matrix_view<const T> x, I* winners, matrix_view<T> out) {
  using count_type = std::conditional_t<sizeof(T) == sizeof(std::int32_t), std::int32_t, std::int64_t>;
  using vector = typename vector_of<T, Lanes>::type;
  using counts = typename vector_of<count_type, Lanes>::type;
  const auto column = [=](std::size_t v) { return v + 1 < Count ? first + v * Lanes : last; };
  const auto source = [=](I e) {
    return x.row(static_cast<std::size_t>(sources.empty() ? e : sources[static_cast<std::size_t>(e)])).data();
  };
  for (; row < last_row; ++row) {
    const I begin = offsets[row];
    const I end = offsets[row + 1];
    vector best[Count];
    counts winner[Count];
    unrolled<Count>([&](auto v) {
      best[v] = begin < end ? load<Lanes>(source(begin) + column(v)) : vector{};
      winner[v] = counts{} - static_cast<count_type>(begin < end ? 0 : 1);
    });
    for (I e = begin + 1; e < end; ++e) {
      const T* const from = source(e);
      const counts current = counts{} + static_cast<count_type>(e - begin);
      unrolled<Count>([&](auto v) {
        const vector value = load<Lanes>(from + column(v));
        const auto wins = ((value > best[v]) | (value != value)) & (best[v] == best[v]);
        best[v] = wins ? value : best[v];
        winner[v] = wins ? current : winner[v];
      });
    }
    unrolled<Count>([&](auto v) {
      store(out.row(row).data() + column(v), best[v]);
      count_type places[Lanes];
      store(places, winner[v]);
      I* const to = winners + row * x.cols() + column(v);
      for (std::size_t lane = 0; lane < Lanes; ++lane) {
        to[lane] = begin < end ? static_cast<I>(begin + static_cast<I>(places[lane])) : I(-1);
      }
    });
  }
}

template <class T, graph_index I>
void segment_max(const cpu& exec, std::span<const I> offsets, std::span<const I> sources, matrix_view<const T> x,
                 std::span<I> winners, matrix_view<T> out) {
  constexpr std::size_t most = 4;  // each vector of numbers has one of winners beside it
  for_each_row_piece(exec, offsets, 2 * x.cols(), x.cols(), [&](auto... piece) {
    for_each_block<T, most>(piece...,
                            [&]<std::size_t Lanes, std::size_t Count>(block_shape<Lanes, Count>, auto... where) {
                              max_block<Lanes, Count, T, I>(where..., offsets, sources, x, winners.data(), out);
                            });
  });
}

/// Winners of different rows may be the same source, so a thread owns columns,
/// not rows; within a column, rows come in ascending order. It takes all of its
/// columns of a row together: what they add to is the same few sources. source_of(e)
/// is the row of x that entry e stands for.
template <class T, graph_index I, class Source>
void add_to_winners(const cpu& exec, std::span<const I> winners, Source&& source_of, matrix_view<const T> gradient,
                    matrix_view<T> x_gradient) {
  for_each_column_range(exec, gradient.cols(), gradient.rows(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < gradient.rows(); ++i) {
      for (std::size_t c = begin; c < end; ++c) {
        const I e = winners[i * gradient.cols() + c];
        if (e >= 0) {
          x_gradient(static_cast<std::size_t>(source_of(e)), c) += gradient(i, c);
        }
      }
    }
  });
}

template <class T, graph_index I>
void segment_max_adjoint(const cpu& exec, const edge_view<I>& edges, std::span<const I> winners,
                         matrix_view<const T> gradient, matrix_view<T> x_gradient) {
  const auto source_of = [&](I e) { return edges.sources[static_cast<std::size_t>(e)]; };
  add_to_winners(exec, winners, source_of, gradient, x_gradient);
}

template <class T, graph_index I>
void segment_max_adjoint(const cpu& exec, std::span<const I> winners, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient) {
  add_to_winners(
      exec, winners, [](I e) { return e; }, gradient, x_gradient);
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
