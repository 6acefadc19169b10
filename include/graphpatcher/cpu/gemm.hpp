// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/cpu/split.hpp"
#include "graphpatcher/ops/gemm_operand.hpp"

/// The dense product, on Eigen's packed kernels.
///
/// Eigen alone promises no fixed order of a sum: it picks blocks, kernels and
/// shortcuts by the whole shape, and edges of the result go through other
/// kernels. Here a row's bits must not depend on the other rows, so
///   - Eigen's general kernel is called directly, one tile on one thread, with
///     blocks of one size: no shortcut for small or thin products, no OpenMP;
///   - c = a b runs as c^T = b^T a^T, whose columns are our rows, and their
///     number is padded to what the kernel takes at once. Then every row goes
///     through the same kernel, and which one depends on its columns alone.
namespace graphpatcher::backend {

/// Sizes of a tile of the result and of a block of the sum. The columns are a
/// multiple of the widest register block of each instruction set (12, 24, 48).
inline constexpr std::size_t gemm_tile_rows = 128;
inline constexpr std::size_t gemm_tile_cols = 240;
inline constexpr std::size_t gemm_block_depth = 256;

/// Packed blocks of the factors and padded copies of ragged tiles; one a
/// thread, kept, so that a product allocates nothing after the first.
template <class T>
class gemm_workspace : public Eigen::internal::level3_blocking<T, T> {
public:
  static gemm_workspace& of_this_thread() {
    thread_local gemm_workspace workspace;
    return workspace;
  }

  std::vector<T> padded_factor;
  std::vector<T> padded_result;

private:
  gemm_workspace() : packed_b_(gemm_block_depth, gemm_tile_cols), packed_a_(gemm_block_depth, gemm_tile_rows) {
    this->m_mc = gemm_tile_cols;
    this->m_nc = gemm_tile_rows;
    this->m_kc = gemm_block_depth;
    this->m_blockA = packed_b_.data();  // Eigen's left factor is our right one
    this->m_blockB = packed_a_.data();
  }

  matrix<T> packed_b_;
  matrix<T> packed_a_;
};

/// c += op(a) op(b) for one tile. The leading sizes are those of the stored
/// row-major factors, which Eigen sees as their transposes.
template <class T>
struct gemm_tile {
  std::size_t rows, cols, depth;
  const T* a;
  std::size_t stride_a;
  bool transpose_a;
  const T* b;
  std::size_t stride_b;
  bool transpose_b;
  T* c;
  std::size_t stride_c;

  void run(gemm_workspace<T>& workspace) const {
    if (transpose_b) {
      transpose_a ? run<Eigen::RowMajor, Eigen::RowMajor>(workspace) : run<Eigen::RowMajor, Eigen::ColMajor>(workspace);
    } else {
      transpose_a ? run<Eigen::ColMajor, Eigen::RowMajor>(workspace) : run<Eigen::ColMajor, Eigen::ColMajor>(workspace);
    }
  }

private:
  template <int OrderB, int OrderA>
  void run(gemm_workspace<T>& workspace) const {
    using kernel = Eigen::internal::general_matrix_matrix_product<Eigen::Index, T, OrderB, false, T, OrderA, false,
                                                                  Eigen::ColMajor, 1>;
    const auto index = [](std::size_t value) { return static_cast<Eigen::Index>(value); };
    kernel::run(index(cols), index(rows), index(depth), b, index(stride_b), a, index(stride_a), c, 1, index(stride_c),
                T(1), workspace, nullptr);
  }
};

/// The same tile with rows of zeros added, through copies of op(a) and c.
template <class T>
void run_padded(gemm_tile<T> tile, std::size_t padded_rows, gemm_workspace<T>& workspace) {
  auto& factor = workspace.padded_factor;
  auto& result = workspace.padded_result;
  const std::size_t lines = tile.transpose_a ? tile.depth : tile.rows;
  const std::size_t length = tile.transpose_a ? tile.rows : tile.depth;
  const std::size_t padded_length = tile.transpose_a ? padded_rows : tile.depth;
  factor.assign(padded_rows * tile.depth, T(0));
  for (std::size_t i = 0; i < lines; ++i) {
    std::copy_n(tile.a + i * tile.stride_a, length, factor.data() + i * padded_length);
  }
  result.assign(padded_rows * tile.cols, T(0));
  for (std::size_t r = 0; r < tile.rows; ++r) {
    std::copy_n(tile.c + r * tile.stride_c, tile.cols, result.data() + r * tile.cols);
  }
  gemm_tile<T> padded = tile;
  padded.rows = padded_rows;
  padded.a = factor.data();
  padded.stride_a = padded_length;
  padded.c = result.data();
  padded.stride_c = tile.cols;
  padded.run(workspace);
  for (std::size_t r = 0; r < tile.rows; ++r) {
    std::copy_n(result.data() + r * tile.cols, tile.cols, tile.c + r * tile.stride_c);
  }
}

/// c += a b, row by row, for products too thin to be worth packing.
template <class T>
void thin_gemm(const cpu& exec, const gemm_operand<T>& a, const gemm_operand<T>& b, matrix_view<T> c) {
  const std::size_t step_a = a.transposed ? a.stored.stride() : 1;
  const std::size_t step_b = b.transposed ? b.stored.stride() : 1;
  for_each_row(exec, c.rows(), c.cols() * a.cols(), [&](std::size_t r) {
    T* const out = c.row(r).data();
    for (std::size_t k = 0; k < a.cols(); ++k) {
      const T factor = a.row(r)[k * step_a];
      const T* const row = b.row(k);
      for (std::size_t j = 0; j < c.cols(); ++j) {
        out[j] += factor * row[j * step_b];
      }
    }
  });
}

/// c = or += a b; sizes already checked. Tiles and the choice of the thin way
/// depend on the columns and the depth of the product, never on its rows or on
/// the threads.
template <class T>
void gemm(const cpu& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<T> c, bool accumulate) {
  const std::size_t depth = a.cols();
  if (!accumulate) {
    for_each_row(exec, c.rows(), c.cols(), [&](std::size_t r) { std::fill_n(c.row(r).data(), c.cols(), T(0)); });
  }
  if (depth <= 4 || c.cols() == 1) {
    thin_gemm(exec, a, b, c);
    return;
  }
  constexpr std::size_t unit = Eigen::internal::gebp_traits<T, T>::nr;
  static_assert(gemm_tile_rows % unit == 0);
  const std::size_t row_tiles = (c.rows() + gemm_tile_rows - 1) / gemm_tile_rows;
  const std::size_t col_tiles = (c.cols() + gemm_tile_cols - 1) / gemm_tile_cols;
  parallel_for(exec, row_tiles * col_tiles, 1, [&](std::size_t begin, std::size_t end) {
    auto& workspace = gemm_workspace<T>::of_this_thread();
    for (std::size_t t = begin; t < end; ++t) {
      const std::size_t row = t % row_tiles * gemm_tile_rows;
      const std::size_t col = t / row_tiles * gemm_tile_cols;
      const std::size_t rows = std::min(gemm_tile_rows, c.rows() - row);
      const gemm_tile<T> tile{rows,
                              std::min(gemm_tile_cols, c.cols() - col),
                              depth,
                              a.row(row),
                              a.stored.stride(),
                              a.transposed,
                              b.col(col),
                              b.stored.stride(),
                              b.transposed,
                              &c(row, col),
                              c.stride()};
      const std::size_t padded_rows = (rows + unit - 1) / unit * unit;
      if (padded_rows == rows) {
        tile.run(workspace);
      } else {
        run_padded(tile, padded_rows, workspace);
      }
    }
  });
}

}  // namespace graphpatcher::backend
