// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "kernels/runtime/launch.cuh"

/// How a few lanes of a warp walk along the entries of a row together. What
/// every kernel over rows of a graph is made of.
namespace graphpatcher::kernels {

/// A matrix as a kernel sees it.
template <class T>
struct device_rows {
  T* data = nullptr;
  unsigned row_bytes = 0;  ///< from one row to the next: 32 bits, so that an address is one multiply-add

  device_rows() = default;
  device_rows(T* first, std::size_t stride) : data(first), row_bytes(static_cast<unsigned>(stride * sizeof(T))) {
    constexpr std::size_t limit = std::numeric_limits<unsigned>::max() / sizeof(T);
    expects<overflow_error>(stride <= limit, "cuda: expected a matrix with a stride of at most ", limit, ", got ",
                            stride);
  }
  template <class U>
  device_rows(const matrix_view<U>& view) : device_rows(view.data(), view.stride()) {}

  /// Rows are not negative.
  template <class Row>
  __device__ T* at(Row row, std::int64_t col) const {
    using row_type = std::make_unsigned_t<Row>;
    using byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    const std::uint64_t offset = std::uint64_t{static_cast<row_type>(row)} * row_bytes;
    return reinterpret_cast<T*>(reinterpret_cast<byte*>(data + col) + offset);
  }
};

/// 2^k neighbouring lanes of one warp that work on one row: they lie across the
/// columns, so that their loads of a row of x are one run of memory. Narrow rows
/// share a warp.
///
/// The groups of a warp stay together: loops run until the last group is done,
/// and all 32 lanes take part in every exchange. That costs nothing, since a warp
/// takes as long as its longest group anyway, and a constant mask makes a shuffle
/// one instruction instead of a dozen.
struct lane_group {
  int size;
  int lane;   ///< of this thread, in [0, size)
  int first;  ///< lane of the warp that is lane 0 of the group

  __device__ explicit lane_group(int lanes)
      : size(lanes),
        lane(static_cast<int>(threadIdx.x) & (lanes - 1)),
        first(static_cast<int>(threadIdx.x) & (warp_size - 1) & ~(lanes - 1)) {}

  /// Number of this group among those of the grid's x direction, that of the
  /// first group of this warp, and how many there are.
  __device__ std::int64_t number() const { return static_cast<std::int64_t>(grid_thread()) >> shift(); }
  __device__ std::int64_t warp_number() const {
    return static_cast<std::int64_t>(grid_thread() / warp_size * warp_size) >> shift();
  }
  __device__ std::int64_t count() const { return static_cast<std::int64_t>(grid_threads()) >> shift(); }

  /// What lane `other` of the group holds. All lanes of the warp take part.
  template <class Value>
  __device__ Value from(Value value, int other) const {
    return __shfl_sync(full_warp, value, first + other);
  }
  /// Sum over the group, in one fixed tree. All lanes of the warp take part, all
  /// get the sum of their group.
  template <class Value>
  __device__ Value sum(Value value) const {
    for (int distance = 1; distance < size; distance *= 2) {
      value += __shfl_xor_sync(full_warp, value, distance);
    }
    return value;
  }
  /// The lanes of this group.
  __device__ unsigned mask() const { return (full_warp >> (warp_size - size)) << first; }
  /// Lane 0 of each group of the warp.
  __device__ unsigned leaders() const { return size == warp_size ? 1u : full_warp / ((1u << size) - 1u); }

private:
  __device__ int shift() const { return __ffs(size) - 1; }
};

/// Lanes for a row of `packs` packs; at least `fewest`, a power of two.
constexpr int lanes_for(std::size_t packs, int fewest) {
  int lanes = fewest;
  while (lanes < 32 && static_cast<std::size_t>(lanes) < packs) {
    lanes *= 2;
  }
  return lanes;
}

/// Blocks in the y direction for tiles of columns. Kernels walk on by as many
/// when there are more tiles than a grid can have.
inline unsigned tiles_for(std::size_t cols, std::size_t tile) {
  constexpr std::size_t largest = 65535;
  const std::size_t tiles = (cols + tile - 1) / tile;
  return static_cast<unsigned>(tiles < largest ? tiles : largest);
}

/// Entries [begin, end) of a row; none of a row that is not among the `rows`,
/// where a group of the last warp has none left.
struct row_entries {
  std::int64_t begin;
  std::int64_t end;
};
template <class I>
__device__ row_entries entries_of(const I* offsets, std::int64_t row, std::int64_t rows) {
  return row < rows ? row_entries{offsets[row], offsets[row + 1]} : row_entries{0, 0};
}

/// Entries whose rows of x a lane loads before it adds the first of them: loads
/// that the memory works on at the same time.
inline constexpr int entries_in_flight = 4;

/// Visits the entries [begin, end) of each group's row in order. Lane l of a
/// group reads what stands in entry begin + l with `read(k, item)`, the next
/// `size` entries after that, and so on: one coalesced load of indices serves the
/// whole group, which then passes the items round. `load(item)` gives this lane's
/// part of the row that an item points to, `add(item, value, k)` uses it.
///
/// read() returning false ends a row: sources ascend, and this one is beyond the
/// limit. All lanes of the warp take part, those without a row with begin == end;
/// groups have at least `entries_in_flight` lanes.
template <class Item, class Read, class Load, class Add>
__device__ void walk_entries(const lane_group& group, std::int64_t begin, std::int64_t end, Read read, Load load,
                             Add add) {
  const unsigned leaders = group.leaders();
#pragma unroll 1
  for (std::int64_t start = begin;; start += group.size) {
    Item own{};
    const bool there = start + group.lane < end && read(start + group.lane, own);
    const unsigned present = __ballot_sync(full_warp, there);
    if (present == 0) {
      return;
    }
    const int count = __popc(present & group.mask());  // of this group; a row's entries come first
    int next = 0;
#pragma unroll 1
    do {
      Item item[entries_in_flight];
      decltype(load(own)) value[entries_in_flight];
#pragma unroll
      for (int i = 0; i < entries_in_flight; ++i) {
        item[i] = own.from(group, next + i);
      }
#pragma unroll
      for (int i = 0; i < entries_in_flight; ++i) {
        if (next + i < count) {
          value[i] = load(item[i]);
        }
      }
#pragma unroll
      for (int i = 0; i < entries_in_flight; ++i) {
        if (next + i < count) {
          add(item[i], value[i], start + next + i);
        }
      }
      next += entries_in_flight;
    } while (next < group.size && (present & (leaders << next)) != 0);  // until no group has an entry left
    if (count < group.size) {
      end = start;
    }
  }
}

/// A lane's part of <a, b>: the packs lane, lane + size, ... of both.
template <int N, class T>
__device__ T partial_dot(const T* a, const T* b, const lane_group& group, std::int64_t count) {
  T dot = 0;
#pragma unroll 1
  for (std::int64_t col = group.lane * N; col < count; col += group.size * N) {
    const auto left = load<N>(a + col);
    const auto right = load<N>(b + col);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      dot += left[i] * right[i];
    }
  }
  return dot;
}

/// The last of `rows` rows that `starts_before` holds for, by bisection; it
/// holds for row 0 and for none after the first that it does not hold for.
template <class StartsBefore>
__device__ std::int64_t last_row(std::int64_t rows, StartsBefore starts_before) {
  std::int64_t low = 0;
  std::int64_t high = rows;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (starts_before(middle) ? low : high) = middle;
  }
  return low;
}

/// The row that entry k belongs to: the last one that starts at k or before it.
template <class I>
__device__ std::int64_t row_of_entry(const I* offsets, std::int64_t rows, std::int64_t k) {
  return last_row(rows, [=](std::int64_t row) { return offsets[row] <= k; });
}

}  // namespace graphpatcher::kernels
