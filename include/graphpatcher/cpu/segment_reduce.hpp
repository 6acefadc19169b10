// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"
#include "graphpatcher/graph/edge_view.hpp"

namespace graphpatcher::backend {

template <class T, graph_index I>
void segment_sum(const cpu& exec, std::span<const I> offsets, bool mean, matrix_view<const T> x, matrix_view<T> out) {
  for_each_row(exec, out.rows(), row_cost(out.rows(), x.rows(), x.cols()), [&](std::size_t s) {
    T* const sum = out.row(s).data();
    std::fill_n(sum, x.cols(), T(0));
    const auto begin = static_cast<std::size_t>(offsets[s]);
    const auto end = static_cast<std::size_t>(offsets[s + 1]);
    for (std::size_t r = begin; r < end; ++r) {
      accumulate(sum, x.row(r).data(), T(1), x.cols());
    }
    if (mean && end > begin) {
      const T scale = T(1) / static_cast<T>(end - begin);
      for (std::size_t c = 0; c < x.cols(); ++c) {
        sum[c] *= scale;
      }
    }
  });
}

template <class T, graph_index I>
void segment_sum_adjoint(const cpu& exec, std::span<const I> offsets, bool mean, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient) {
  const std::size_t cost = row_cost(gradient.rows(), x_gradient.rows(), x_gradient.cols());
  for_each_row(exec, gradient.rows(), cost, [&](std::size_t s) {
    const auto begin = static_cast<std::size_t>(offsets[s]);
    const auto end = static_cast<std::size_t>(offsets[s + 1]);
    const T scale = mean && end > begin ? T(1) / static_cast<T>(end - begin) : T(1);
    for (std::size_t r = begin; r < end; ++r) {
      accumulate(x_gradient.row(r).data(), gradient.row(s).data(), scale, gradient.cols());
    }
  });
}

/// Takes `x` where it beats `best`: larger, or NaN where `best` is a number.
template <class T, class I>
inline void challenge(T* __restrict best, I* __restrict winner, const T* __restrict x, I position, std::size_t count) {
  for (std::size_t c = 0; c < count; ++c) {
    const bool wins = !(x[c] <= best[c]) && best[c] == best[c];
    best[c] = wins ? x[c] : best[c];
    winner[c] = wins ? position : winner[c];
  }
}

template <class T, graph_index I>
void segment_max(const cpu& exec, std::span<const I> offsets, std::span<const I> sources, matrix_view<const T> x,
                 std::span<I> winners, matrix_view<T> out) {
  const std::size_t cols = x.cols();
  const auto row_of = [&](I e) {
    return x.row(static_cast<std::size_t>(sources.empty() ? e : sources[static_cast<std::size_t>(e)])).data();
  };
  const auto entries = static_cast<std::size_t>(offsets.back());
  for_each_row(exec, out.rows(), row_cost(out.rows(), entries, cols), [&](std::size_t i) {
    T* const best = out.row(i).data();
    I* const winner = winners.data() + i * cols;
    if (offsets[i] == offsets[i + 1]) {
      std::fill_n(best, cols, T(0));
      std::fill_n(winner, cols, I(-1));
      return;
    }
    std::copy_n(row_of(offsets[i]), cols, best);
    std::fill_n(winner, cols, offsets[i]);
    for (I e = offsets[i] + 1; e < offsets[i + 1]; ++e) {
      challenge(best, winner, row_of(e), e, cols);
    }
  });
}

/// Winners of different rows may be the same source, so a thread owns columns,
/// not rows; within a column, rows come in ascending order. source_of(e) is the
/// row of x that entry e stands for.
template <class T, graph_index I, class Source>
void add_to_winners(const cpu& exec, std::span<const I> winners, Source&& source_of, matrix_view<const T> gradient,
                    matrix_view<T> x_gradient) {
  for_column_blocks(exec, gradient.rows(), gradient.cols(), [&](std::size_t begin, std::size_t end) {
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

}  // namespace graphpatcher::backend
