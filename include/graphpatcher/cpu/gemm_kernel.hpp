// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "graphpatcher/core/level.hpp"

/// The inner kernel of the dense product, on Eigen's vectors.
///
/// A block of the result stays in registers while the sum runs over k:
///
///   c(r, j) <- c(r, j) + a(r, 0) b(0, j) + a(r, 1) b(1, j) + ...,   first to last, one step each
///
/// This chain is all that ever happens to a number of the result, whatever its
/// place in a block, and wherever the sum is cut and taken up again. So the bits
/// of a row depend on that row and on b alone: not on how a product is cut into
/// tiles, on the other rows or on the threads.
namespace graphpatcher::backend::inline GP_LEVEL {

/// Size of a block: two vectors wide, and as high as the registers allow, which
/// hold the sums, two vectors of b and one of a. 6 x 16 floats with AVX2, 14 x 32
/// with AVX-512.
template <class T>
struct gemm_block {
  using vector = typename Eigen::internal::packet_traits<T>::type;
  static constexpr std::size_t lanes = Eigen::internal::unpacket_traits<vector>::size;
  static constexpr std::size_t rows = (EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS - 4) / 2;
  static constexpr std::size_t cols = 2 * lanes;
};

/// Calls body(0), ..., body(Count - 1) with constants: an array of vectors that
/// only constants index lives in registers, at any level of optimisation.
template <std::size_t Count, class Body>
EIGEN_ALWAYS_INLINE void unroll(Body&& body) {
  const auto each = [&]<std::size_t... I>(std::index_sequence<I...>) {
    (body(std::integral_constant<std::size_t, I>{}), ...);
  };
  each(std::make_index_sequence<Count>{});
}

/// What a block reads and writes. Factors come in panels: for each k the numbers
/// of the block's rows (columns) side by side, a[k * rows + r] and b[k * cols + j].
template <class T>
struct gemm_task {
  std::size_t depth;
  const T* a;
  T* b;
  /// Not null: the panel of b is made on the way, from rows that start here and
  /// are source_stride apart. Its cost is hidden behind the multiplications.
  const T* source;
  std::size_t source_stride;
  T* c;
  std::size_t stride_c;
  bool add;  ///< to what c holds, else c is overwritten
};

/// The first `Rows` rows of a block.
template <class T, std::size_t Rows, bool FromSource>
void multiply_block(const gemm_task<T>& task) {
  using namespace Eigen::internal;
  using block = gemm_block<T>;
  using vector = typename block::vector;
  constexpr std::size_t lanes = block::lanes;
  constexpr std::size_t ahead = 24;  // rows of the source: the way from the last-level cache and more
  const std::size_t depth = task.depth;
  const std::size_t step = FromSource ? task.source_stride : block::cols;
  const T* __restrict a = task.a;
  const T* __restrict b = FromSource ? task.source : task.b;
  T* __restrict panel = task.b;
  T* const c = task.c;
  vector sums[Rows][2];
  unroll<Rows>([&](auto r) {
    T* const row = c + r * task.stride_c;
    sums[r][0] = task.add ? ploadu<vector>(row) : pset1<vector>(T(0));
    sums[r][1] = task.add ? ploadu<vector>(row + lanes) : pset1<vector>(T(0));
  });
  for (std::size_t k = 0; k < depth; ++k) {
    vector left = ploadu<vector>(b);
    vector right = ploadu<vector>(b + lanes);
    EIGEN_OPTIMIZATION_BARRIER(left)  // else loaded again for every row
    EIGEN_OPTIMIZATION_BARRIER(right)
    if constexpr (FromSource) {
      prefetch(b + ahead * step);
      prefetch(b + ahead * step + lanes);
      prefetch(b + ahead * step + block::cols - 1);  // a third line if rows are not aligned
      pstore(panel, left);
      pstore(panel + lanes, right);
      panel += block::cols;
    }
    unroll<Rows>([&](auto r) {
      const vector factor = pset1<vector>(a[r]);
      sums[r][0] = pmadd(factor, left, sums[r][0]);
      sums[r][1] = pmadd(factor, right, sums[r][1]);
    });
    a += block::rows;
    b += step;
  }
  unroll<Rows>([&](auto r) {
    T* const row = c + r * task.stride_c;
    pstoreu(row, sums[r][0]);
    pstoreu(row + lanes, sums[r][1]);
  });
}

/// Any number of rows from 1 to that of a block.
template <class T>
void multiply_block(std::size_t rows, const gemm_task<T>& task) {
  using kernel = void (*)(const gemm_task<T>&);
  static constexpr auto kernels = []<std::size_t... R>(std::index_sequence<R...>) {
    return std::array<std::array<kernel, 2>, sizeof...(R)>{
        std::array<kernel, 2>{&multiply_block<T, R + 1, false>, &multiply_block<T, R + 1, true>}...};
  }
  (std::make_index_sequence<gemm_block<T>::rows>{});
  kernels[rows - 1][task.source != nullptr](task);
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
