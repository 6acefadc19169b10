// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/row_walk.cuh"

/// Hubs: rows so long that one group of lanes would still be busy with one when
/// the rest of the GPU has finished. They are cut into pieces.
///
/// Where a row is cut depends on its own length only, so a row's sum is the same
/// bits in every batch. Pieces need a numbering that every group can invert from
/// the offsets alone, without a list of hubs that somebody would have to make
/// first. This one: piece p of a long row that starts at entry o has the slot
///
///   slot(o, p) = o / piece + o / long_row + p        (divisions round down)
///
/// No two pieces share a slot: a long row that starts at o and has n entries uses
/// slots up to o / piece + o / long_row + (n - 1) / piece <= (o + n) / piece + o / long_row,
/// and what starts at o + n > o + long_row or later has at least one more in the
/// second term. There are about entries / piece · 3/2 slots; most stay empty.
namespace graphpatcher::kernels {

/// The same for all compute capabilities: the order of sums follows from these.
inline constexpr int long_row = 512;      ///< entries; longer rows are cut
inline constexpr int piece_length = 256;  ///< entries

__host__ __device__ constexpr std::int64_t first_slot(std::int64_t offset) {
  const auto entry = static_cast<std::uint64_t>(offset);  // unsigned: divisions become shifts
  return static_cast<std::int64_t>(entry / piece_length + entry / long_row);
}

/// Slots for rows of `entries` entries together.
constexpr std::size_t slots_for(std::size_t entries) {
  return static_cast<std::size_t>(first_slot(static_cast<std::int64_t>(entries))) + 1;
}

/// Whether to cut, given the most entries of a row (0: not known, then all
/// entries may be in one row).
constexpr bool has_long_rows(std::size_t longest_row, std::size_t entries) {
  return (longest_row == 0 ? entries : longest_row) > static_cast<std::size_t>(long_row);
}

/// The piece that has a slot, if any.
struct long_row_piece {
  std::int64_t row = 0;
  std::int64_t number = -1;    ///< of the piece in its row; -1: the slot is empty
  std::int64_t row_begin = 0;  ///< entries of the row
  std::int64_t row_end = 0;

  __device__ bool there() const { return number >= 0; }
  __device__ std::int64_t begin() const { return row_begin + number * piece_length; }
  __device__ std::int64_t end() const { return min(begin() + piece_length, row_end); }
  __device__ std::int64_t count() const { return (row_end - row_begin + piece_length - 1) / piece_length; }
};

template <class I>
__device__ long_row_piece piece_at(std::int64_t slot, const I* offsets, std::int64_t rows) {
  long_row_piece found;
  found.row = last_row(rows, [=](std::int64_t row) { return first_slot(offsets[row]) <= slot; });
  found.row_begin = offsets[found.row];
  found.row_end = offsets[found.row + 1];
  const std::int64_t number = slot - first_slot(found.row_begin);
  if (found.row_end - found.row_begin > long_row && number < found.count()) {
    found.number = number;
  }
  return found;
}

}  // namespace graphpatcher::kernels
