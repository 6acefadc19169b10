// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/simd.hpp"
#include "graphpatcher/cpu/vector_blocks.hpp"

/// Sums of rows that stand anywhere in a table, the one loop behind sparse products:
///
///   out = factor · (start + Σ_k scale(k) · source(k)),   k = begin .. end - 1
///
/// The sums of a block of columns stay in registers from the first source to the last and are stored once. Sources are
/// added one after the other, so a column has the same bits whatever block it is in.
namespace graphpatcher::backend::inline GP_LEVEL {

/// What a sum starts with: zero, or what stands in `out`.
enum class sum_start { zero, out };

/// One row to be summed.
template <class T>
struct row_sum {
  std::size_t begin;
  std::size_t end;
  T* out;
  T factor = 1;
};

/// The rows to be summed are told by an object `rows` of plain views:
///
///   rows.start           a constant sum_start
///   rows.row(i)          the row_sum of row i
///   rows.source(k)       the row of the table that entry k stands for
///   rows.scale(i, k)     its number in row i
///   rows.fetchable(end)  sources of the entries before it may be fetched into the cache early, while the row that ends
///                        with entry `end` is summed; 0 if that doesn't pay

/// Vectors of a block: with them, a scale and a source fit the 16 registers of AVX.
inline constexpr std::size_t block_vectors = 8;

/// Entries between a fetch and its use. Long enough for memory beyond the last cache, and rows of 1024 columns still
/// fit the first cache meanwhile, as far as a block reaches.
inline constexpr std::size_t fetch_distance = 8;

/// Whether fetching pays: rows of a table that is not within reach of the second cache.
template <class T>
bool is_far(matrix_view<T> table) {
  return table.rows() * table.stride() * sizeof(T) > std::size_t{1} << 21;
}

/// The end of the entries of a row that fetch the source fetch_distance ahead.
inline std::size_t fetching_end(std::size_t end, std::size_t fetchable) {
  return std::min(end, fetchable < fetch_distance ? 0 : fetchable - fetch_distance);
}

/// Fetches `Bytes` bytes from `columns` on into the cache. Always inline: GCC 12 drops a call that only fetches.
template <std::size_t Bytes, class T>
inline __attribute__((always_inline)) void fetch(const T* columns) {
  for (std::size_t byte = 0; byte < Bytes; byte += 64) {
    __builtin_prefetch(columns + byte / sizeof(T));
  }
}

/// Adds the sources of one row to `sums`, one after the other. Vector v is at `column(v)` of a source.
template <std::size_t Lanes, std::size_t Count, class Rows, class T, class Vector, class Column>
inline void add_sources(const Rows& rows, std::size_t row, const row_sum<T>& sum, std::size_t first, Vector* sums,
                        Column column) {
  const auto add = [&](std::size_t k) {
    const T* const source = rows.source(k) + first;
    const T scale = rows.scale(row, k);
    unrolled<Count>([&](auto v) { add_product(scale, load<Lanes>(source + column(v)), sums[v]); });
  };
  const std::size_t fetch_end = fetching_end(sum.end, rows.fetchable(sum.end));
  std::size_t k = sum.begin;
  for (; k < fetch_end; ++k) {
    fetch<Count * sizeof(Vector)>(rows.source(k + fetch_distance) + first);
    add(k);
  }
  for (; k < sum.end; ++k) {
    add(k);
  }
}

/// The columns of `Count` vectors, from `first`, in the rows [row, last_row). The last vector starts at column `last`
/// and may overlap the one before: then both compute the same sums.
template <std::size_t Lanes, std::size_t Count, class Rows>
void sum_block(std::size_t row, std::size_t last_row, std::size_t first, std::size_t last, const Rows& all_rows) {
  const Rows rows = all_rows;  // a local copy: stores can't change it
  const std::size_t reach = last - first;
  const auto column = [=](std::size_t v) { return v + 1 < Count ? v * Lanes : reach; };
  for (; row < last_row; ++row) {
    const auto sum = rows.row(row);
    auto* const out = sum.out + first;
    using vector = decltype(load<Lanes>(out));
    vector sums[Count] = {};
    if constexpr (Rows::start == sum_start::out) {
      if (sum.begin == sum.end) {
        continue;
      }
      unrolled<Count>([&](auto v) { sums[v] = load<Lanes>(out + column(v)); });
      add_sources<Lanes, Count>(rows, row, sum, first, sums, column);
    } else {
      add_sources<Lanes, Count>(rows, row, sum, first, sums, column);
      unrolled<Count>([&](auto v) { sums[v] *= sum.factor; });
    }
    unrolled<Count>([&](auto v) { store(out + column(v), sums[v]); });
  }
}

/// Sums the columns [first_col, last_col) of the rows [row, last_row).
template <class T, class Rows>
void sum_rows(std::size_t row, std::size_t last_row, std::size_t first_col, std::size_t last_col, const Rows& rows) {
  for_each_block<T, block_vectors>(row, last_row, first_col, last_col,
                                   [&]<std::size_t Lanes, std::size_t Count>(block_shape<Lanes, Count>, auto... where) {
                                     sum_block<Lanes, Count>(where..., rows);
                                   });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
