// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphpatcher/core/philox.hpp"
#include "kernels/row_walk.cuh"
#include "kernels/runtime/launch.cuh"

/// Rows of a sparse table picked by id; equations in ops/sparse_gemm.hpp and
/// ops/dropout.hpp. The products are row_sum.cuh's sum.
namespace graphpatcher::kernels {

struct sparse_rows_policy {
  static constexpr int threads = 256;
};

/// The table and the ids, in device memory. Row r has the columns
/// [offsets[ids[r]], offsets[ids[r] + 1]), none for id -1; its values start at
/// value_starts[r], or where its columns start if that is null.
template <class T, class I>
struct device_sparse_rows {
  const I* offsets;
  const I* columns;
  const T* values;
  const I* ids;
  const std::size_t* value_starts;
  std::int64_t rows;

  struct row_range {
    std::int64_t begin = 0;  // columns
    std::int64_t end = 0;
    std::int64_t values = 0;
  };
  __device__ row_range row(std::int64_t r) const {
    const std::int64_t id = ids[r];
    if (id < 0) {
      return {};
    }
    const std::int64_t begin = offsets[id];
    return {begin, offsets[id + 1], value_starts == nullptr ? begin : static_cast<std::int64_t>(value_starts[r])};
  }
};

/// out[r, :] = row r with its zeros
///
/// A warp owns a row: it writes zeros, then the non-zeros over them. Writes
/// rows · cols numbers; the second write of a sector meets the first in the cache.
template <class T, class I>
static __global__ void __launch_bounds__(sparse_rows_policy::threads)
    fill_dense(device_sparse_rows<T, I> x, std::int64_t cols, device_rows<T> out) {
  const lane_group warp(warp_size);
#pragma unroll 1
  for (std::int64_t r = warp.number(); r < x.rows; r += warp.count()) {
    const auto row = x.row(r);
#pragma unroll 1
    for (std::int64_t col = warp.lane; col < cols; col += warp_size) {
      *out.at(r, col) = T(0);
    }
    __syncwarp();  // zeros first, whichever lane writes them
#pragma unroll 1
    for (std::int64_t k = row.begin + warp.lane; k < row.end; k += warp_size) {
      *out.at(r, x.columns[k]) = x.values[row.values + (k - row.begin)];
    }
  }
}

/// kept[starts[r] + i] = i-th non-zero of row r, scaled, or 0 if it is dropped
///
/// A group of lanes owns a row, a lane every size-th of its non-zeros. The bits
/// belong to (id, column), as on the CPU.
template <class T, class I>
static __global__ void __launch_bounds__(sparse_rows_policy::threads)
    drop_nonzeros(int lanes, random_stream stream, std::uint64_t threshold, T factor, device_sparse_rows<T, I> x,
                  const std::size_t* starts, T* kept) {
  const lane_group group(lanes);
#pragma unroll 1
  for (std::int64_t r = group.number(); r < x.rows; r += group.count()) {
    const auto row = x.row(r);
    const auto id = static_cast<std::uint64_t>(x.ids[r]);
    T* const out = kept + starts[r];
#pragma unroll 1
    for (std::int64_t i = group.lane; i < row.end - row.begin; i += group.size) {
      const auto column = static_cast<std::uint64_t>(x.columns[row.begin + i]);
      const auto bits = stream.bits(id, column / 4);
      const int word = static_cast<int>(column % 4);  // by selection: an index would put the bits into memory
      const std::uint32_t drawn = word < 2 ? (word == 0 ? bits[0] : bits[1]) : (word == 2 ? bits[2] : bits[3]);
      out[i] = drawn < threshold ? T(0) : factor * x.values[row.values + i];
    }
  }
}

}  // namespace graphpatcher::kernels
