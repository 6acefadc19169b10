// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "graphpatcher/cpu/gemm_tile.hpp"
#include "graphpatcher/operands/feature_rows.hpp"

/// Dense products whose left factor is rows of a table, picked by id and converted
/// while they are packed: neither the rows nor a converted table are ever there as a
/// whole. The rest is the dense product (gemm_tile.hpp), so its promise holds too: a
/// row of the result depends on its own row and on b alone.
namespace graphpatcher::backend::inline GP_LEVEL {

/// out = numbers [begin, begin + count) of a row of x.
template <class T, class S, class I>
void read_numbers(const dense_table_rows<S, I>& x, std::size_t row, std::size_t begin, std::size_t count,
                  T* __restrict out) {
  const S* const from = x.row(row);
  if (from == nullptr) {
    std::fill_n(out, count, T(0));
    return;
  }
  for (std::size_t c = 0; c < count; ++c) {
    out[c] = number_as<T>(from[begin + c]);
  }
}

/// The factor X of X b, or X^T of X^T b.
template <class S, class I>
struct gathered_factor {
  dense_table_rows<S, I> x;
  bool transposed;

  std::size_t rows() const noexcept { return transposed ? x.cols : x.ids.size(); }
  std::size_t cols() const noexcept { return transposed ? x.ids.size() : x.cols; }
};

/// See gemm_tile.hpp.
template <class T, class S, class I>
void pack_rows(const gathered_factor<S, I>& a, std::size_t line, std::size_t count, std::size_t k, std::size_t depth,
               T* panel) {
  constexpr std::size_t width = gemm_block<T>::rows;
  if (a.transposed) {  // a line of it is a column of x
    for (std::size_t i = 0; i < depth; ++i, panel += width) {
      if (count == width) {
        read_numbers<T>(a.x, k + i, line, width, panel);
      } else {
        read_numbers<T>(a.x, k + i, line, count, panel);
        std::fill_n(panel + count, width - count, T(0));
      }
    }
    return;
  }
  T rows[width * gemm_workspace<T>::depth];
  for (std::size_t i = 0; i < count; ++i) {
    read_numbers<T>(a.x, line + i, k, depth, rows + i * depth);
  }
  pack_panel<width>(gemm_lines<T>{rows, depth, 1}, count, depth, panel);
}

/// c = or += a b on the calling thread.
template <class T, class Factor>
void gemm_here(const Factor& a, matrix_view<const T> b, matrix_view<T> c, bool add) {
  constexpr std::size_t most_rows = gemm_workspace<T>::rows;
  const gemm_operand<T> right{b, false};
  for (std::size_t row = 0; row < c.rows() && c.cols() > 0; row += most_rows) {
    gemm_tile(a, right, row, 0, c.middle_rows(row, std::min(row + most_rows, c.rows())), add,
              [](matrix_view<T>, std::size_t, std::size_t) {});
  }
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
