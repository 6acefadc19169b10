// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/buffer.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/pieces.hpp"

/// Wide tables whose rows are gathered again and again, and that no cache keeps. A strip of their columns would fit,
/// but not where it stands: rows are a power of two apart, as a rule, so that the lines of a strip share a few sets of
/// the cache. So it is copied to memory of its own, summed from there, and the next strip takes its place:
///
///   table   aaaabbbbcccc     strips   aaaa   bbbb   cccc
///           aaaabbbbcccc              aaaa   bbbb   cccc
///
/// Strips cut columns, not sums: results are the same bits.
namespace graphpatcher::backend::inline GP_LEVEL {

/// A row of a strip: four cache lines, which a processor still streams well.
inline constexpr std::size_t strip_bytes = 256;

/// Whether `entries` of rows of `cols` numbers, out of `rows` different ones, are faster gathered from packed strips: a
/// strip fits a cache, the whole table doesn't, and the reads that miss it are worth writing and reading each row once
/// more. That goes for the last cache (the machines measured have 32 MB) and for a core's own (1 MB).
template <class T>
bool packing_pays(std::size_t rows, std::size_t cols, std::size_t entries) {
  struct cache {
    std::size_t strip;  ///< bytes of a strip that it keeps
    double table;       ///< and of a table
  };
  constexpr cache own{std::size_t{3} << 18, 2 << 20};
  constexpr cache last{std::size_t{1} << 25, 24 << 20};
  const double size = static_cast<double>(rows) * static_cast<double>(cols * sizeof(T));
  const auto pays = [=](const cache& in) {
    return rows * strip_bytes <= in.strip && size > in.table &&
           static_cast<double>(entries) * (1 - in.table / size) > 2.5 * static_cast<double>(rows);
  };
  return cols * sizeof(T) > 2 * strip_bytes && (pays(own) || pays(last));
}

/// Calls body(strip, first) for all strips of a table of `rows` x `cols`, whose row j starts at row(j); `first` is the
/// column of the table that a strip starts at. Threads copy it together, then it is the body's until it returns.
template <class T, class Row, class Body>
void for_each_packed_strip(const cpu& exec, std::size_t rows, std::size_t cols, const Row& row, Body&& body) {
  constexpr std::size_t width = strip_bytes / sizeof(T);
  thread_local buffer<T> memory;  // keeps its size, at most 32 MB
  if (memory.size() < rows * width) {
    memory = buffer<T>(cpu{}, rows * width, contents::anything);
  }
  T* const packed = memory.data();
  for (std::size_t first = 0; first < cols; first += width) {
    const matrix_view<T> strip(packed, rows, std::min(width, cols - first));
    for_each_row(exec, rows, strip.cols(),
                 [&](std::size_t j) { std::copy_n(row(j) + first, strip.cols(), strip.row(j).data()); });
    body(matrix_view<const T>(strip), first);
  }
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
