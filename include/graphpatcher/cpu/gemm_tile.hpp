// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "graphpatcher/core/buffer.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/gemm_kernel.hpp"
#include "graphpatcher/operands/gemm_operand.hpp"

/// One tile of a dense product, on one thread: block after block.
///
///   for every piece of the sum       (its panel of b, a block wide, fits half of the first-level cache)
///     pack the tile's rows of a      (they fit half of the second-level cache)
///     for every block of columns     (the first block of rows packs the panel of b, the others use it)
///       for every block of rows: multiply_block()
namespace graphpatcher::backend::inline GP_LEVEL {

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"  // of vectors as template arguments: their alignment
#endif

/// Packed factors and a tile of numbers; one a thread, kept, so that a product
/// allocates nothing after the first.
template <class T>
struct gemm_workspace {
  using block = gemm_block<T>;
  static constexpr std::size_t rows = 192 / block::rows * block::rows;
  static constexpr std::size_t depth = std::min(16384 / (block::cols * sizeof(T)), 1024 / sizeof(T));
  /// Numbers of a tile that is handed on instead of stored; most of them stay in
  /// the second-level cache.
  static constexpr std::size_t tile_size = 96 * 1024;

  static gemm_workspace& of_this_thread() {
    thread_local gemm_workspace workspace;
    return workspace;
  }

  buffer<T> a = memory_for(rows * depth);
  buffer<T> b = memory_for(block::cols * depth);
  buffer<T> tile = memory_for(tile_size);

private:
  static buffer<T> memory_for(std::size_t count) {
    return buffer<T>(cpu{}, count + block::lanes, contents::anything);  // packing writes past the end
  }
};

/// A factor as lines that become rows (columns) of blocks: line i starts at
/// data + i * line_step, its numbers are depth_step apart. One of the steps is 1.
template <class T>
struct gemm_lines {
  const T* data;
  std::size_t line_step;
  std::size_t depth_step;

  static gemm_lines rows_of(const gemm_operand<T>& a) {
    const std::size_t stride = a.stored.stride();
    return a.transposed ? gemm_lines{a.stored.data(), 1, stride} : gemm_lines{a.stored.data(), stride, 1};
  }
  static gemm_lines cols_of(const gemm_operand<T>& b) {
    const std::size_t stride = b.stored.stride();
    return b.transposed ? gemm_lines{b.stored.data(), stride, 1} : gemm_lines{b.stored.data(), 1, stride};
  }
  gemm_lines from(std::size_t line, std::size_t k) const {
    return {data + line * line_step + k * depth_step, line_step, depth_step};
  }
};

/// panel[k * Width + i] = number k of line i, zero for i >= count. Writes up to a
/// vector past the end.
template <std::size_t Width, class T>
void pack_panel(const gemm_lines<T>& lines, std::size_t count, std::size_t depth, T* panel) {
  using namespace Eigen::internal;
  using vector = typename gemm_block<T>::vector;
  constexpr std::size_t lanes = gemm_block<T>::lanes;
  std::size_t done = 0;
  if (lines.depth_step == 1) {  // squares of numbers, transposed in registers
    done = depth / lanes * lanes;
    // Where a square hangs over into the next k it writes what the squares before it write anew: last one first.
    for (std::size_t line = (Width - 1) / lanes * lanes + lanes; line > 0;) {
      line -= lanes;
      for (std::size_t k = 0; k < done; k += lanes) {
        PacketBlock<vector, static_cast<int>(lanes)> square;
        for (std::size_t i = 0; i < lanes; ++i) {
          square.packet[i] = line + i < count ? ploadu<vector>(lines.from(line + i, k).data) : pset1<vector>(T(0));
        }
        ptranspose(square);
        for (std::size_t i = 0; i < lanes; ++i) {
          pstoreu(panel + (k + i) * Width + line, square.packet[i]);
        }
      }
    }
  } else if (count == Width) {
    done = depth;
    for (std::size_t k = 0; k < depth; ++k) {
      std::memcpy(panel + k * Width, lines.from(0, k).data, Width * sizeof(T));
    }
  }
  for (std::size_t k = done; k < depth; ++k) {
    for (std::size_t i = 0; i < Width; ++i) {
      panel[k * Width + i] = i < count ? *lines.from(i, k).data : T(0);
    }
  }
}

/// Packs `count` lines of a factor from `line` on, numbers [k, k + depth) of each. Other kinds of factors have an
/// overload of their own.
template <class T>
void pack_rows(const gemm_operand<T>& a, std::size_t line, std::size_t count, std::size_t k, std::size_t depth,
               T* panel) {
  pack_panel<gemm_block<T>::rows>(gemm_lines<T>::rows_of(a).from(line, k), count, depth, panel);
}

/// A block of which only `cols` columns exist, through a whole one.
template <class T>
void multiply_edge(std::size_t rows, std::size_t cols, gemm_task<T> task) {
  T whole[gemm_block<T>::rows * gemm_block<T>::cols] = {};
  T* const c = task.c;
  const std::size_t stride = task.stride_c;
  task.c = whole;
  task.stride_c = gemm_block<T>::cols;
  for (std::size_t r = 0; task.add && r < rows; ++r) {
    std::copy_n(c + r * stride, cols, whole + r * task.stride_c);
  }
  multiply_block(rows, task);
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(whole + r * task.stride_c, cols, c + r * stride);
  }
}

/// c = or += the tile of a b that starts at (row, col), at most
/// gemm_workspace<T>::rows high; `a` is whatever pack_rows() takes. Calls
/// finish(block, r, j) for every block of c that is complete and still in the
/// first-level cache; it starts at c(r, j).
template <class T, class Factor, class Finish>
void gemm_tile(const Factor& a, const gemm_operand<T>& b, std::size_t row, std::size_t col, matrix_view<T> c, bool add,
               Finish&& finish) {
  using block = gemm_block<T>;
  auto& workspace = gemm_workspace<T>::of_this_thread();
  const auto lines_b = gemm_lines<T>::cols_of(b).from(col, 0);
  const std::size_t pieces = std::max<std::size_t>(1, (a.cols() + workspace.depth - 1) / workspace.depth);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t k = a.cols() * piece / pieces;
    const std::size_t depth = a.cols() * (piece + 1) / pieces - k;
    for (std::size_t r = 0; r < c.rows(); r += block::rows) {
      pack_rows(a, row + r, std::min(block::rows, c.rows() - r), k, depth, workspace.a.data() + r * depth);
    }
    for (std::size_t j = 0; j < c.cols(); j += block::cols) {
      const std::size_t cols = std::min(block::cols, c.cols() - j);
      const auto source = lines_b.from(j, k);
      gemm_task<T> task{.depth = depth,
                        .a = workspace.a.data(),
                        .b = workspace.b.data(),
                        .source = nullptr,
                        .source_stride = source.depth_step,
                        .c = &c(0, j),
                        .stride_c = c.stride(),
                        .add = add || piece > 0};
      if (b.transposed || cols < block::cols) {
        pack_panel<block::cols>(source, cols, depth, workspace.b.data());
      } else {
        task.source = source.data;
      }
      for (std::size_t r = 0; r < c.rows(); r += block::rows) {
        const std::size_t rows = std::min(block::rows, c.rows() - r);
        cols == block::cols ? multiply_block(rows, task) : multiply_edge(rows, cols, task);
        if (piece + 1 == pieces) {
          finish(matrix_view<T>(&c(r, j), rows, cols, c.stride()), r, j);
        }
        task.source = nullptr;
        task.a += block::rows * depth;
        task.c += block::rows * c.stride();
      }
    }
  }
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

}  // namespace graphpatcher::backend::inline GP_LEVEL
