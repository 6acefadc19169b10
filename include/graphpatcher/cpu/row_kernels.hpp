// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/pieces.hpp"

/// The inner loops over one row that graph operations share. Every element is summed by one thread in one order,
/// so no result depends on the number of threads or on the rest of a batch.
namespace graphpatcher::backend::inline GP_LEVEL {

/// out += scale * x. A scale of 1 gives the same bits as a plain sum.
template <class T>
inline void accumulate(T* __restrict out, const T* __restrict x, T scale, std::size_t count) {
  for (std::size_t c = 0; c < count; ++c) {
    out[c] += scale * x[c];
  }
}

/// Σ term(c), in `Sum`: eight running sums that the compiler keeps in vector
/// registers, joined in a fixed order.
template <class Sum, class Term>
inline Sum lane_sum(std::size_t count, Term&& term) {
  constexpr std::size_t lanes = 8;
  Sum sums[lanes] = {};
  std::size_t c = 0;
  for (; c + lanes <= count; c += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += static_cast<Sum>(term(c + lane));
    }
  }
  for (std::size_t lane = 0; c < count; ++c, ++lane) {
    sums[lane] += static_cast<Sum>(term(c));
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// Σ a_c b_c.
template <class T>
inline T dot(const T* a, const T* b, std::size_t count) {
  return lane_sum<T>(count, [=](std::size_t c) { return a[c] * b[c]; });
}

/// Multiply-adds a row takes on average: `entries` of `width` numbers each, and
/// the row itself. What for_each_row() wants as cost; a hub among the rows
/// leaves the other pieces to the other threads.
inline std::size_t row_cost(std::size_t rows, std::size_t entries, std::size_t width) {
  return (entries / std::max<std::size_t>(rows, 1) + 1) * width;
}

/// Columns of a block: sums of one fit on the stack.
inline constexpr std::size_t column_block = 16;

/// Calls body(begin, end) on ranges of at most `column_block` columns, for sums
/// that run down `rows` rows.
template <class Body>
void for_column_blocks(const cpu& exec, std::size_t rows, std::size_t cols, Body&& body) {
  for_each_column_range(exec, cols, rows, [&](std::size_t first, std::size_t last) {
    for (std::size_t begin = first; begin < last; begin += column_block) {
      body(begin, std::min(begin + column_block, last));
    }
  });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
