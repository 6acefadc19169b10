// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/simd.hpp"
#include "graphpatcher/cpu/vector_blocks.hpp"

/// Sums of rows that stand anywhere in a table, the one loop behind sparse products:
///
///   out = factor · (start + Σ_k scale(k) · source(k)),   k = begin .. end - 1
///
/// The sums of a block of columns stay in registers from the first source to the last and are stored once. Sources are
/// added one after the other, so a column has the same bits whatever block it is in.
namespace graphpatcher::backend {

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
///   rows.fetch_end(end)  entries of a row before it fetch the source fetch_distance ahead into the cache

/// Vectors of a block: with them, a scale and a source fit the 16 registers of AVX.
inline constexpr std::size_t block_vectors = 8;

/// Entries between a fetch and its use. Long enough for memory beyond the last cache, and rows of 1024 columns still
/// fit the first cache meanwhile, as far as a block reaches.
inline constexpr std::size_t fetch_distance = 8;

/// Whether fetching pays: rows of a table that is not within reach of the second cache.
template <class T>
bool is_far(matrix_view<T> table) {
  return table.rows() * table.stride() * sizeof(T) > std::size_t{1} << 18;
}

/// What fetches if entries before `entries` are known and `end` ends a row.
inline std::size_t fetching_entries(std::size_t end, std::size_t entries) {
  return std::min(end, entries < fetch_distance ? 0 : entries - fetch_distance);
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
    if (Rows::start == sum_start::out && sum.begin == sum.end) {
      continue;
    }
    auto* const out = sum.out + first;
    using vector = decltype(load<Lanes>(out));
    vector sums[Count];
    unrolled<Count>([&](auto v) {
      if constexpr (Rows::start == sum_start::out) {
        sums[v] = load<Lanes>(out + column(v));
      } else {
        sums[v] = vector{};
      }
    });
    const auto add = [&](std::size_t k) {
      const auto* const source = rows.source(k) + first;
      const auto scale = rows.scale(row, k);
      unrolled<Count>([&](auto v) { sums[v] += scale * load<Lanes>(source + column(v)); });
    };
    std::size_t k = sum.begin;
    for (const std::size_t fetch_end = rows.fetch_end(sum.end); k < fetch_end; ++k) {
      const auto* ahead = rows.source(k + fetch_distance) + first;
      unrolled<Count>([&](auto v) {
        if constexpr (v * sizeof(vector) % 64 == 0) {
          __builtin_prefetch(ahead + column(v));
        }
      });
      add(k);
    }
    for (; k < sum.end; ++k) {
      add(k);
    }
    if constexpr (Rows::start == sum_start::zero) {
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

}  // namespace graphpatcher::backend
