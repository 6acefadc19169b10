// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/parallel_for.hpp"

/// How the default backend cuts matrices into pieces for threads. A piece owns
/// whole rows, or whole columns where a sum runs down the rows; either way one
/// thread computes an element from start to end, in the order of the rows.
namespace graphpatcher::backend::inline GP_LEVEL {

/// Numbers a piece should hold at least, to be worth waking a thread for.
inline constexpr std::size_t piece_size = std::size_t{1} << 14;

/// Calls body(first_row, last_row) for pieces of `rows` rows that cost about `cost` numbers each.
template <class Body>
void for_each_row_range(const cpu& exec, std::size_t rows, std::size_t cost, Body&& body) {
  parallel_for(exec, rows, std::max<std::size_t>(1, piece_size / std::max<std::size_t>(1, cost)), body);
}

/// Calls body(row) for each of `rows` rows that cost about `cost` numbers each.
template <class Body>
void for_each_row(const cpu& exec, std::size_t rows, std::size_t cost, Body&& body) {
  for_each_row_range(exec, rows, cost, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      body(row);
    }
  });
}

/// Calls body(first_row, last_row, first_col, last_col) on pieces of rows that have entries: row i those from
/// offsets[i] to offsets[i + 1], each costing about `cost` numbers. Pieces have about the same number of entries,
/// however few rows that is; a row with more entries than a piece is shared by its columns, 32 of the `cols` at least.
template <class I, class Body>
void for_each_row_piece(const cpu& exec, std::span<const I> offsets, std::size_t cost, std::size_t cols, Body&& body) {
  check_executor(exec);
  // a row itself costs as much as an entry; row i is [cost_before(i), cost_before(i + 1)) of the total
  const std::size_t rows = offsets.size() - 1;
  const auto cost_before = [=](std::size_t i) { return static_cast<std::size_t>(offsets[i]) + i; };
  const std::size_t total = cost_before(rows);
  const std::size_t most = exec.threads == 1 ? 1 : 8 * static_cast<std::size_t>(exec.threads);
  const std::size_t pieces = std::clamp<std::size_t>(total * cost / piece_size, 1, most);
  const std::size_t step = std::max<std::size_t>(1, (total + pieces - 1) / pieces);
  const auto first_row_from = [&](std::size_t start) {
    std::size_t low = 0;
    for (std::size_t high = rows; low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (cost_before(middle) < start) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const auto is_hub = [&](std::size_t i) { return cost_before(i + 1) - cost_before(i) > step; };
  // every piece that a hub reaches into takes an equal share of its columns
  const auto share_of_hub = [&](std::size_t i, std::size_t piece) {
    constexpr std::size_t unit = 32;
    const std::size_t first_piece = cost_before(i) / step;
    const std::size_t shares = (cost_before(i + 1) - 1) / step - first_piece + 1;
    const std::size_t units = (cols + unit - 1) / unit;
    const auto column = [&](std::size_t share) { return std::min(cols, units * share / shares * unit); };
    if (column(piece - first_piece) < column(piece - first_piece + 1)) {
      body(i, i + 1, column(piece - first_piece), column(piece - first_piece + 1));
    }
  };
  parallel_for(exec, pieces, 1, [&](std::size_t piece, std::size_t last_piece) {
    if (pieces == 1) {
      return body(std::size_t{0}, rows, std::size_t{0}, cols);
    }
    for (; piece < last_piece; ++piece) {
      const std::size_t begin = first_row_from(piece * step);
      std::size_t end = first_row_from((piece + 1) * step);
      if (begin > 0 && cost_before(begin) > piece * step && is_hub(begin - 1)) {
        share_of_hub(begin - 1, piece);
      }
      if (begin < end && is_hub(end - 1)) {
        share_of_hub(--end, piece);
      }
      if (begin < end) {
        body(begin, end, std::size_t{0}, cols);
      }
    }
  });
}

/// Calls body(row, first entry, one past its last entry) for every row, which stays whole.
template <class I, class Body>
void for_each_edge_row(const cpu& exec, std::span<const I> offsets, std::size_t cost, Body&& body) {
  for_each_row_piece(exec, offsets, cost, 1, [&](std::size_t row, std::size_t last_row, std::size_t, std::size_t) {
    for (; row < last_row; ++row) {
      body(row, static_cast<std::size_t>(offsets[row]), static_cast<std::size_t>(offsets[row + 1]));
    }
  });
}

/// Calls body(begin, end) for ranges of columns that cost about `cost` numbers
/// each. Ranges start on multiples of 32, so that threads share no cache line
/// of a row that starts on one.
template <class Body>
void for_each_column_range(const cpu& exec, std::size_t cols, std::size_t cost, Body&& body) {
  constexpr std::size_t unit = 32;
  check_executor(exec);
  const auto threads = static_cast<std::size_t>(exec.threads);
  const std::size_t share = (cols + threads - 1) / threads;
  const std::size_t least = piece_size / std::max<std::size_t>(1, cost);
  const std::size_t grain = (std::max(share, least) + unit - 1) / unit * unit;
  parallel_for(exec, cols, grain, body);
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
