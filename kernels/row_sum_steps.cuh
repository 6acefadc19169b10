// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/long_rows.cuh"
#include "kernels/row_walk.cuh"
#include "kernels/runtime/launch.cuh"

/// The problem that row_sum.cuh solves, and what one group of lanes does with one
/// row of it: find the entries, add them up, write the sum.
namespace graphpatcher::kernels {

/// Indices that are null count as the identity, factors as 1.
template <class T, class Stored, class I>
struct row_sum_problem {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t entries = 0;      ///< at least those of all rows together
  std::size_t longest_row = 0;  ///< entries; 0: not known

  const I* offsets = nullptr;               ///< row i has the entries [offsets[i], offsets[i + 1])
  const I* ids = nullptr;                   ///< if there: those of row ids[i] instead, none for -1
  const I* sources = nullptr;               ///< of an entry
  I limit = std::numeric_limits<I>::max();  ///< a row ends before its first source that is not below
  const I* gather = nullptr;                ///< row of x of a source
  device_rows<const Stored> x = {};

  const T* right = nullptr;           ///< of a source
  device_rows<const T> weights = {};  ///< one row an entry, one column a head
  std::size_t heads = 1;
  const I* weight_rows = nullptr;              ///< row of the weights of an entry
  const std::size_t* weight_starts = nullptr;  ///< row of the weights of the first entry of a row
  const T* left = nullptr;                     ///< of a row
  T scale = 1;                                 ///< of all rows
  bool mean = false;                           ///< divide by the number of entries, if there are any

  const I* targets = nullptr;  ///< row of out of a row
  bool accumulate = false;
  device_rows<T> out = {};
};

/// What weighs an entry: nothing, one factor, or one a head.
enum class weighing { none, entry, head };

/// What the lanes of a group tell each other about an entry.
template <class T, class I, weighing Weighing>
struct row_sum_item {
  I row = 0;      // of x
  I weights = 0;  // row of the weights of all heads
  T factor = 1;

  __device__ row_sum_item from(const lane_group& group, int lane) const {
    row_sum_item other;
    other.row = group.from(row, lane);
    if constexpr (Weighing != weighing::none) {
      other.factor = group.from(factor, lane);
    }
    if constexpr (Weighing == weighing::head) {
      other.weights = group.from(weights, lane);
    }
    return other;
  }
};

/// The entries that a group adds up: a row or a piece of one.
struct entry_range {
  std::int64_t begin = 0;
  std::int64_t end = -1;     // below begin: nothing to do
  std::int64_t weights = 0;  // row of the weights of entry 0
};

template <class T, class Stored, class I>
__device__ entry_range entries_of_row(const row_sum_problem<T, Stored, I>& problem, std::int64_t row, bool skip_long) {
  const std::int64_t id = problem.ids == nullptr ? row : problem.ids[row];
  if (id < 0) {
    return {0, 0, 0};
  }
  const std::int64_t begin = problem.offsets[id];
  const std::int64_t end = problem.offsets[id + 1];
  if (skip_long && end - begin > long_row) {
    return {};
  }
  const bool own_weights = problem.weight_starts != nullptr;
  return {begin, end, own_weights ? static_cast<std::int64_t>(problem.weight_starts[row]) - begin : 0};
}

/// The sum over some entries of this lane's pack of columns.
template <int N, weighing Weighing, class T, class Stored, class I>
__device__ void sum_entries(const row_sum_problem<T, Stored, I>& problem, const lane_group& group, entry_range range,
                            std::int64_t col, T (&sum)[N]) {
  using item = row_sum_item<T, I, Weighing>;
  const auto head = Weighing == weighing::head ? col / static_cast<std::int64_t>(problem.cols / problem.heads) : 0;
  const auto read = [&](std::int64_t k, item& own) {
    const I source = problem.sources == nullptr ? static_cast<I>(k) : problem.sources[k];
    if (source >= problem.limit) {
      return false;
    }
    own.row = problem.gather == nullptr ? source : problem.gather[source];
    if constexpr (Weighing != weighing::none) {
      own.factor = problem.right == nullptr ? T(1) : problem.right[source];
      if (problem.weights.data != nullptr) {
        const std::int64_t weights = problem.weight_rows == nullptr ? k + range.weights : problem.weight_rows[k];
        if constexpr (Weighing == weighing::head) {
          own.weights = static_cast<I>(weights);
        } else {
          own.factor *= *problem.weights.at(weights, 0);
        }
      }
    }
    return true;
  };
  struct term {
    pack<Stored, N> x;
    T factor;
  };
  const auto load_term = [&](const item& entry) {
    term result{load<N>(problem.x.at(entry.row, col)), entry.factor};
    if constexpr (Weighing == weighing::head) {
      result.factor *= *problem.weights.at(entry.weights, head);
    }
    return result;
  };
  walk_entries<item>(group, range.begin, range.end, read, load_term, [&](const item&, const term& value, std::int64_t) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if constexpr (Weighing == weighing::none) {
        sum[i] += static_cast<T>(value.x[i]);
      } else {
        sum[i] += value.factor * static_cast<T>(value.x[i]);
      }
    }
  });
}

/// Sums of N columns go to memory in packs of at most 16 bytes: 8 halves of x
/// become two packs of 4 floats.
template <int N, class T>
inline constexpr int sum_pack = N < full_pack<T> ? N : full_pack<T>;

/// Writes the finished sum of a row.
template <int N, class T, class Stored, class I>
__device__ void finish_row(const row_sum_problem<T, Stored, I>& problem, std::int64_t row, std::int64_t length,
                           std::int64_t col, const T (&sum)[N]) {
  T scale = problem.scale;
  if (problem.left != nullptr) {
    scale *= problem.left[row];
  }
  if (problem.mean && length > 0) {
    scale *= T(1) / static_cast<T>(length);
  }
  T* const out = problem.out.at(problem.targets == nullptr ? row : problem.targets[row], col);
  constexpr int width = sum_pack<N, T>;
#pragma unroll
  for (int first = 0; first < N; first += width) {
    pack<T, width> result = {};
    if (problem.accumulate) {
      result = load<width>(out + first);
    }
#pragma unroll
    for (int i = 0; i < width; ++i) {
      result[i] += scale * sum[first + i];
    }
    store(out + first, result);
  }
}

}  // namespace graphpatcher::kernels
