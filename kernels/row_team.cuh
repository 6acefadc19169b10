// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/long_rows.cuh"
#include "kernels/row_walk.cuh"
#include "kernels/runtime/launch.cuh"

/// How threads share one row of an array edges x heads, whose reductions run over
/// the edges: head by head across neighbouring threads, edge by edge beyond that,
///
///   thread t: head t % heads, edges begin + t / heads, + slots, + 2·slots, ...
///
/// so that neighbouring threads read neighbouring numbers even with one head.
/// Threads add up their edges in order, then the threads of a head are joined in
/// a fixed tree. A group of lanes works on a row; a row longer than long_row gets
/// a block. Which order that is depends on the row and the heads alone.
namespace graphpatcher::kernels {

struct row_team_policy {
  static constexpr int threads = 256;
  static constexpr int warps = threads / warp_size;
  static constexpr int resident_blocks = 4;  ///< of a multiprocessor, at least: up to 64 registers a thread
  static constexpr int stages = 2;           ///< most joins of a row
  /// Edges of a row that a group of lanes works on at the same time, if its heads
  /// leave room for as many in a warp. About the degree of most nodes; a number
  /// that followed the degrees of a batch would make sums depend on the batch.
  static constexpr std::size_t slots = 8;
};

/// Lanes of one warp.
struct lane_team {
  lane_group group;
  int heads;  ///< that the team works on, at most group.size
  int slots;  ///< edges that it works on at the same time
  int slot;   ///< of this thread; `slots` for threads that are left over
  int head;   ///< of this thread, counted from the team's first

  __device__ lane_team(int lanes, int team_heads)
      : group(lanes), heads(team_heads), slots(lanes / team_heads), slot(group.lane / team_heads) {
    head = group.lane - slot * heads;
    slot = min(slot, slots);
  }

  __device__ bool busy() const { return slot < slots; }

  /// Joins the values of each head over the slots; all threads of the head get
  /// the result. All lanes of the warp take part.
  template <class T, class Join>
  __device__ T join(T value, Join join, int /*stage*/ = 0) const {
    for (int distance = ceil_power(slots) / 2; distance > 0; distance /= 2) {
      const T other = __shfl_sync(full_warp, value, group.first + (group.lane + distance * heads) % group.size);
      if (slot + distance < slots) {
        value = join(value, other);
      }
    }
    return group.from(value, head);
  }

private:
  /// The next power of two; __clz(0) is 32.
  static __device__ int ceil_power(int count) { return 1 << (32 - __clz(count - 1)); }
};

/// A whole block, for hubs: the same in each warp, then over the warps.
template <class T>
struct block_team {
  /// Of the warps, head by head. A stage is a join of a row: each has its own
  /// memory, so that none waits until an earlier one has been read.
  using partial_results = T[row_team_policy::stages][row_team_policy::warps][warp_size];

  lane_team lanes;
  partial_results& partial;  ///< shared memory
  int heads;
  int slots;
  int slot;
  int head;

  __device__ block_team(int team_heads, partial_results& shared)
      : lanes(warp_size, team_heads),
        partial(shared),
        heads(team_heads),
        slots(lanes.slots * row_team_policy::warps),
        slot(static_cast<int>(threadIdx.x) / warp_size * lanes.slots + lanes.slot),
        head(lanes.head) {}

  __device__ bool busy() const { return lanes.busy(); }

  /// All threads of the block take part, once a stage.
  template <class Join>
  __device__ T join(T value, Join join, int stage = 0) const {
    value = lanes.join(value, join);
    if (lanes.slot == 0) {
      partial[stage][threadIdx.x / warp_size][head] = value;
    }
    __syncthreads();
    value = partial[stage][0][head];
    for (int warp = 1; warp < row_team_policy::warps; ++warp) {
      value = join(value, partial[stage][warp][head]);
    }
    return value;
  }
};

template <class Team, class T>
__device__ T team_sum(const Team& team, T value, int stage = 0) {
  return team.join(
      value, [](T a, T b) { return a + b; }, stage);
}
template <class Team, class T>
__device__ T team_max(const Team& team, T value, int stage = 0) {
  return team.join(
      value, [](T a, T b) { return a < b ? b : a; }, stage);
}

struct row_team_shape {
  int lanes = 0;  ///< of a team that is no block
  int heads = 0;  ///< of a team; blockIdx.y counts teams of a row
  int all_heads = 0;
  std::int64_t slots = 0;  ///< blocks for long rows (long_rows.cuh): one a slot, busy if a row starts there
};

/// Calls work(team, row, begin, end, head) for every row.
template <class T, class I, class Work>
static __global__ void __launch_bounds__(row_team_policy::threads, row_team_policy::resident_blocks)
    team_rows(row_team_shape shape, const I* offsets, std::int64_t rows, Work work) {
  __shared__ typename block_team<T>::partial_results partial;
  const int first_head = static_cast<int>(blockIdx.y) * shape.heads;
  const int heads = min(shape.heads, shape.all_heads - first_head);
  if (blockIdx.x < shape.slots) {
    const long_row_piece piece = piece_at(blockIdx.x, offsets, rows);
    if (piece.number == 0) {
      const block_team<T> team(heads, partial);
      work(team, piece.row, piece.row_begin, piece.row_end, first_head + team.head);
    }
    return;
  }
  const lane_team team(shape.lanes, heads);
  const std::int64_t skipped = shape.slots * (row_team_policy::threads / shape.lanes);  // teams in the blocks before
  const std::int64_t teams = team.group.count() - skipped;
#pragma unroll 1
  for (std::int64_t first = team.group.warp_number() - skipped; first < rows; first += teams) {
    const std::int64_t row = first + team.group.first / team.group.size;
    const auto [begin, end] = entries_of(offsets, row, rows);
    const bool mine = row < rows && (shape.slots == 0 || end - begin <= long_row);
    work(team, mine ? row : -1, mine ? begin : 0, mine ? end : 0, first_head + team.head);
  }
}

/// `work` sees row -1 without edges where a team has nothing to do but take part.
template <class T, class I, class Work>
void launch_team_rows(const device& exec, const char* name, const I* offsets, std::size_t rows, std::size_t edges,
                      std::size_t heads, const Work& work) {
  if (rows == 0 || heads == 0) {
    return;
  }
  row_team_shape shape;
  shape.all_heads = static_cast<int>(heads);
  shape.heads = static_cast<int>(heads < warp_size ? heads : warp_size);
  const auto team_heads = static_cast<std::size_t>(shape.heads);
  shape.lanes = lanes_for(row_team_policy::slots * team_heads, 1);
  const std::size_t slots = has_long_rows(0, edges) ? slots_for(edges) : 0;
  shape.slots = static_cast<std::int64_t>(slots);
  const std::size_t teams_a_block = row_team_policy::threads / static_cast<std::size_t>(shape.lanes);
  const dim3 grid(static_cast<unsigned>(std::min(slots + ceil_div(rows, teams_a_block), largest_grid)),
                  static_cast<unsigned>(ceil_div(heads, team_heads)));
  team_rows<T>
      <<<grid, row_team_policy::threads, 0, stream_of(exec)>>>(shape, offsets, static_cast<std::int64_t>(rows), work);
  check_launch(name, grid, row_team_policy::threads);
}

}  // namespace graphpatcher::kernels
