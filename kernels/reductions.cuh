// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/executor.hpp"
#include "kernels/runtime/grid_walk.cuh"

/// Sums down the columns of a matrix and over all of it. How the terms are
/// split and joined follows from the shape alone, never from the device or the
/// grid, and nothing is added by atomics: the same bits every time.
namespace graphpatcher::kernels {

struct reduction_policy {
  static constexpr int threads = 256;
  static constexpr int widest = warp_size;        ///< columns of a block, at most
  static constexpr std::size_t few_rows = 16;     ///< a thread adds up at least so many before the work is split
  static constexpr std::size_t most_slabs = 512;  ///< pieces that the rows are split into, at most
};

/// Two sums that are made together; aligned, so that both are read and written
/// at once and shared memory has no bank conflicts.
struct alignas(16) two_sums {
  double first;
  double second;

  __device__ two_sums operator+(const two_sums& other) const { return {first + other.first, second + other.second}; }
};

/// How a rows x cols matrix is cut up: a block owns `lanes` columns (a power of
/// two, so that narrow matrices fill warps with several rows) and one slab of
/// rows.
struct column_plan {
  std::size_t rows;
  std::size_t cols;
  unsigned lanes;
  std::size_t slabs;

  column_plan(std::size_t row_count, std::size_t col_count) : rows(row_count), cols(col_count) {
    using policy = reduction_policy;
    lanes = static_cast<unsigned>(std::bit_ceil(std::min<std::size_t>(cols, policy::widest)));
    const std::size_t smallest_slab = policy::few_rows * (policy::threads / lanes);
    slabs = std::min(std::max<std::size_t>(ceil_div(rows, smallest_slab), 1), policy::most_slabs);
  }

  dim3 block() const { return dim3(lanes, reduction_policy::threads / lanes); }
  unsigned column_blocks() const { return grid_for(cols, lanes); }
};

/// finish(slab, c, Σ_r term(r, c)) for every column, r over the rows of a slab.
///
/// Block (x, y): columns [x, x + 1) · lanes, slab y of the rows, cut into slabs
/// of equal size. A thread adds up every blockDim.y-th row of its column in
/// ascending order; a tree over threadIdx.y joins them in shared memory, where
/// neighbouring threads use neighbouring words. A warp reads whole sectors of
/// one row, or of neighbouring rows of a narrow matrix. Reads every term once.
template <class Sum, class Term, class Finish>
static __global__ void __launch_bounds__(reduction_policy::threads)
    column_sums_kernel(std::size_t rows, std::size_t cols, std::size_t slab_rows, Term term, Finish finish) {
  __shared__ Sum sums[reduction_policy::threads];
  const unsigned lanes = blockDim.x;
  const unsigned self = threadIdx.y * lanes + threadIdx.x;
  const std::size_t col = std::size_t{blockIdx.x} * lanes + threadIdx.x;
  const std::size_t begin = blockIdx.y * slab_rows;
  const std::size_t end = min(begin + slab_rows, rows);
  Sum sum{};
  if (col < cols) {
#pragma unroll 4
    for (std::size_t row = begin + threadIdx.y; row < end; row += blockDim.y) {
      sum = sum + term(row, col);
    }
  }
  sums[self] = sum;
  for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half) {
      sums[self] = sums[self] + sums[self + half * lanes];
    }
  }
  if (threadIdx.y == 0 && col < cols) {
    finish(blockIdx.y, col, sums[self]);
  }
}

/// Stores what a slab adds up to; the rows of `partial` are slabs.
template <class Sum>
struct store_partial {
  Sum* partial;
  std::size_t cols;
  __device__ void operator()(std::size_t slab, std::size_t col, const Sum& sum) const {
    partial[slab * cols + col] = sum;
  }
};
template <class Sum>
struct load_partial {
  const Sum* partial;
  std::size_t cols;
  __device__ const Sum& operator()(std::size_t slab, std::size_t col) const { return partial[slab * cols + col]; }
};

template <class Sum, class Term, class Finish>
void launch_column_sums_once(const device& exec, const column_plan& plan, std::size_t slab_rows, Term term,
                             Finish finish) {
  const dim3 grid(plan.column_blocks(), static_cast<unsigned>(ceil_div(plan.rows, slab_rows)));
  column_sums_kernel<Sum><<<grid, plan.block(), 0, stream_of(exec)>>>(plan.rows, plan.cols, slab_rows, term, finish);
  check_launch("column_sums", grid, plan.block());
}

/// finish(0, c, Σ_r term(r, c)) for every column c; term(r, c) gives a Sum.
/// Tall matrices in two stages: slabs of rows, then the sums of the slabs.
/// Matrices without rows are left to the caller.
template <class Sum, class Term, class Finish>
void launch_column_sums(const device& exec, std::size_t rows, std::size_t cols, Term term, Finish finish) {
  if (rows == 0 || cols == 0) {
    return;
  }
  const column_plan plan(rows, cols);
  const std::size_t slab_rows = ceil_div(rows, plan.slabs);
  const std::size_t slabs = ceil_div(rows, slab_rows);
  if (slabs == 1) {
    launch_column_sums_once<Sum>(exec, plan, rows, term, finish);
    return;
  }
  const backend::device_array<Sum> partial(exec, slabs * cols);
  launch_column_sums_once<Sum>(exec, plan, slab_rows, term, store_partial<Sum>{partial.data(), cols});
  launch_column_sums_once<Sum>(exec, column_plan(slabs, cols), slabs, load_partial<Sum>{partial.data(), cols}, finish);
}

/// The terms of a matrix seen from the side.
template <class Term>
struct transposed_term {
  Term term;
  __device__ auto operator()(std::size_t row, std::size_t col) const { return term(col, row); }
};

/// finish(0, 0, Σ_r Σ_c term(r, c)): down the columns, then over their sums.
template <class Sum, class Term, class Finish>
void launch_total(const device& exec, std::size_t rows, std::size_t cols, Term term, Finish finish) {
  if (rows == 1) {
    launch_column_sums<Sum>(exec, cols, 1, transposed_term<Term>{term}, finish);
  } else if (cols == 1) {
    launch_column_sums<Sum>(exec, rows, 1, term, finish);
  } else {
    const backend::device_array<Sum> columns(exec, cols);
    launch_column_sums<Sum>(exec, rows, cols, term, store_partial<Sum>{columns.data(), cols});
    launch_column_sums<Sum>(exec, cols, 1, load_partial<Sum>{columns.data(), 1}, finish);
  }
}

/// The elements of a matrix as terms.
template <class Sum, class T>
struct element_term {
  device_view<const T> x;
  __device__ Sum operator()(std::size_t row, std::size_t col) const { return static_cast<Sum>(x(row, col)); }
};

/// sums[c] += the sum of column c.
template <class T>
struct add_to_column {
  T* sums;
  template <class Sum>
  __device__ void operator()(std::size_t, std::size_t col, Sum sum) const {
    sums[col] += static_cast<T>(sum);
  }
};

/// *out = (or += with `accumulate`) factor · total.
template <class T>
struct write_total {
  T* out;
  double factor;
  bool accumulate;
  __device__ void operator()(std::size_t, std::size_t, double total) const {
    const T scaled = static_cast<T>(factor * total);
    *out = accumulate ? *out + scaled : scaled;
  }
};

}  // namespace graphpatcher::kernels
