// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/cuda/spmm.hpp"
#include "kernels/long_rows.cuh"
#include "kernels/row_sum_steps.cuh"
#include "kernels/row_walk.cuh"
#include "kernels/runtime/launch.cuh"

/// The one sum that sparse products, segment sums, sparse features and
/// scatter-adds are:
///
///   out[target_i, :] (= or +=) left_i · Σ_{k of row i} w_k,h · right_s · x[gather_s, :],   s = sources[k]
///
/// A group of lanes owns a tile of columns of one output row, a lane one pack of
/// up to 16 bytes of x, and adds up the entries in their order, in registers.
/// For E entries and C columns it reads E·C numbers of x and an index (and its
/// factors) an entry and a tile, writes rows·C numbers, and does 2·E·C flops.
/// Consecutive lanes read consecutive packs, so every sector is used whole.
///
/// Rows that are too long are cut into pieces (long_rows.cuh) that other groups
/// add up in the same launch; a second kernel adds the pieces, first to last.
namespace graphpatcher::kernels {

struct row_sum_policy {
  /// Small blocks: the place of a block is free for the next only when the
  /// longest of its rows is done. Enough fit to fill a multiprocessor of any
  /// compute capability.
  static constexpr int threads = 128;
  /// At least these fit a multiprocessor: up to 128 registers a thread.
  static constexpr int resident_blocks = 4;
};

/// How the work is laid out: what the launcher decided.
template <class T>
struct row_sum_shape {
  int lanes = 0;           ///< of a group
  std::int64_t slots = 0;  ///< for pieces of long rows; 0: no row is cut
  T* pieces = nullptr;     ///< slots x cols: sums of the pieces
};

/// Group g of the grid takes unit g, g + groups, ...: first come the slots of the
/// pieces, which take longest, then the rows. blockIdx.y is the tile of columns.
template <int N, weighing Weighing, class T, class Stored, class I>
static __global__ void __launch_bounds__(row_sum_policy::threads, row_sum_policy::resident_blocks)
    row_sums(row_sum_problem<T, Stored, I> problem, row_sum_shape<T> shape) {
  const lane_group group(shape.lanes);
  const auto rows = static_cast<std::int64_t>(problem.rows);
  const auto cols = static_cast<std::int64_t>(problem.cols);
  const std::int64_t tile = shape.lanes * N;
  for (std::int64_t first_col = blockIdx.y * tile; first_col < cols; first_col += gridDim.y * tile) {
    // lanes beyond the last column read the last pack along with its owner, and write nothing
    const std::int64_t own_col = first_col + group.lane * N;
    const std::int64_t col = own_col < cols ? own_col : cols - N;
#pragma unroll 1
    for (std::int64_t first = group.warp_number(); first < shape.slots + rows; first += group.count()) {
      const std::int64_t unit = first + group.first / group.size;
      const bool cut = unit < shape.slots;
      entry_range range;
      if (cut) {
        const long_row_piece piece = piece_at(unit, problem.offsets, rows);
        range = piece.there() ? entry_range{piece.begin(), piece.end(), 0} : entry_range{};
      } else if (unit < shape.slots + rows) {
        range = entries_of_row(problem, unit - shape.slots, shape.slots > 0);
      }
      T sum[N] = {};
      sum_entries<N, Weighing>(problem, group, range, col, sum);
      if (own_col >= cols || range.end < range.begin) {
        continue;
      }
      if (cut) {
        constexpr int width = sum_pack<N, T>;
#pragma unroll
        for (int first = 0; first < N; first += width) {
          pack<T, width> part;
#pragma unroll
          for (int i = 0; i < width; ++i) {
            part[i] = sum[first + i];
          }
          store(shape.pieces + unit * cols + col + first, part);
        }
      } else {
        finish_row(problem, unit - shape.slots, range.end - range.begin, col, sum);
      }
    }
  }
}

/// Adds the pieces of long rows, first to last. The group that has a row's first
/// slot owns the row; a lane owns one pack of columns and needs no other lane.
template <int N, class T, class Stored, class I>
static __global__ void __launch_bounds__(row_sum_policy::threads, row_sum_policy::resident_blocks)
    add_pieces(row_sum_problem<T, Stored, I> problem, row_sum_shape<T> shape) {
  constexpr int depth = entries_in_flight;
  const lane_group group(shape.lanes);
  const auto cols = static_cast<std::int64_t>(problem.cols);
  const std::int64_t tile = shape.lanes * N;
  for (std::int64_t col = blockIdx.y * tile + group.lane * N; col < cols; col += gridDim.y * tile) {
    for (std::int64_t slot = group.number(); slot < shape.slots; slot += group.count()) {
      const long_row_piece piece = piece_at(slot, problem.offsets, static_cast<std::int64_t>(problem.rows));
      if (piece.number != 0) {
        continue;
      }
      T sum[N] = {};
#pragma unroll 1
      for (std::int64_t next = 0; next < piece.count(); next += depth) {
        pack<T, N> part[depth];
#pragma unroll
        for (int i = 0; i < depth; ++i) {
          if (next + i < piece.count()) {
            part[i] = load<N>(shape.pieces + (slot + next + i) * cols + col);
          }
        }
#pragma unroll
        for (int i = 0; i < depth; ++i) {
          for (int c = 0; c < N && next + i < piece.count(); ++c) {
            sum[c] += part[i][c];
          }
        }
      }
      finish_row(problem, piece.row, piece.row_end - piece.row_begin, col, sum);
    }
  }
}

template <int N, weighing Weighing, class T, class Stored, class I>
void launch_row_sum(const device& exec, const row_sum_problem<T, Stored, I>& problem, bool cut) {
  constexpr std::size_t threads = row_sum_policy::threads;
  row_sum_shape<T> shape;
  shape.lanes = lanes_for(problem.cols / N, entries_in_flight);
  const std::size_t slots = cut ? slots_for(problem.entries) : 0;
  const backend::device_array<T> pieces(exec, slots * problem.cols);
  shape.slots = static_cast<std::int64_t>(slots);
  shape.pieces = pieces.data();
  const std::size_t groups = threads / static_cast<std::size_t>(shape.lanes);
  const std::size_t tile = static_cast<std::size_t>(shape.lanes) * N;
  const dim3 grid(grid_for(slots + problem.rows, groups), tiles_for(problem.cols, tile));
  row_sums<N, Weighing><<<grid, threads, 0, stream_of(exec)>>>(problem, shape);
  check_launch("row_sums", grid, threads);
  if (cut) {
    // columns in packs of sums now
    constexpr int width = sum_pack<N, T>;
    shape.lanes = lanes_for(problem.cols / width, 1);
    const std::size_t sums_tile = static_cast<std::size_t>(shape.lanes) * width;
    const dim3 sums_grid(grid_for(slots, threads / static_cast<std::size_t>(shape.lanes)),
                         tiles_for(problem.cols, sums_tile));
    add_pieces<width><<<sums_grid, threads, 0, stream_of(exec)>>>(problem, shape);
    check_launch("add_pieces", sums_grid, threads);
  }
}

/// Computes a problem. Rows are cut where `balance` says so; automatic: when a
/// row may be longer than long_row. Rows picked by id are never cut.
template <class T, class Stored, class I>
void row_sum(const device& exec, const row_sum_problem<T, Stored, I>& problem,
             spmm_balance balance = spmm_balance::automatic) {
  if (problem.rows == 0 || problem.cols == 0) {
    return;
  }
  const bool cut = problem.ids == nullptr && problem.entries > 0 &&
                   (balance == spmm_balance::nonzeros ||
                    (balance == spmm_balance::automatic && has_long_rows(problem.longest_row, problem.entries)));
  const auto launch = [&](auto width) {
    constexpr int N = decltype(width)::value;
    if (problem.heads > 1) {
      launch_row_sum<N, weighing::head>(exec, problem, cut);
    } else if (problem.weights.data != nullptr || problem.right != nullptr) {
      launch_row_sum<N, weighing::entry>(exec, problem, cut);
    } else {
      launch_row_sum<N, weighing::none>(exec, problem, cut);
    }
  };
  // A pack lies in the columns of one head.
  constexpr int widest = full_pack<Stored>;
  const std::size_t head_width = problem.cols / problem.heads;
  if (fits_pack(widest, problem.x.data, problem.x.row_bytes / sizeof(Stored), head_width) &&
      fits_pack(sum_pack<widest, T>, problem.out.data, problem.out.row_bytes / sizeof(T), head_width)) {
    launch(std::integral_constant<int, widest>{});
  } else {
    launch(std::integral_constant<int, 1>{});
  }
}

// Compiled once, in spmm.cu.
extern template void row_sum(const device&, const row_sum_problem<float, float, std::int32_t>&, spmm_balance);
extern template void row_sum(const device&, const row_sum_problem<float, float, std::int64_t>&, spmm_balance);
extern template void row_sum(const device&, const row_sum_problem<double, double, std::int32_t>&, spmm_balance);
extern template void row_sum(const device&, const row_sum_problem<double, double, std::int64_t>&, spmm_balance);

}  // namespace graphpatcher::kernels
