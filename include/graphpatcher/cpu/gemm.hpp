// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/cpu/gemm_tile.hpp"
#include "graphpatcher/operands/elements.hpp"
#include "graphpatcher/operands/gemm_operand.hpp"

/// The dense product, and products whose result is worked on while the cache
/// still holds it. How a result is cut into tiles may depend on anything, threads
/// and rows included: it leaves no trace in the bits (gemm_kernel.hpp).
namespace graphpatcher::backend::inline GP_LEVEL {

/// Calls body(row, row_end, col, col_end) for tiles of a result, at most
/// `most_rows` x `most_cols`, about equal, cut at blocks, and as many for one
/// thread as for another.
template <class T, class Body>
void for_each_gemm_tile(const cpu& exec, std::size_t rows, std::size_t cols, std::size_t depth, std::size_t most_rows,
                        std::size_t most_cols, Body&& body) {
  constexpr std::size_t least_work = std::size_t{1} << 20;  // multiplications worth waking a thread for
  check_executor(exec);
  if (rows == 0 || cols == 0) {
    return;
  }
  const auto parts_of = [](std::size_t size, std::size_t part) { return (size + part - 1) / part; };
  const std::size_t row_blocks = parts_of(rows, gemm_block<T>::rows);
  const std::size_t col_blocks = parts_of(cols, gemm_block<T>::cols);
  const auto threads =
      std::clamp<std::size_t>(rows * cols * depth / least_work, 1, static_cast<std::size_t>(exec.threads));
  std::size_t row_parts = parts_of(rows, most_rows);
  std::size_t col_parts = parts_of(cols, most_cols);
  if (row_parts * col_parts < threads) {
    col_parts = std::min(col_blocks, parts_of(threads, row_parts));
    row_parts = std::max(row_parts, std::min(row_blocks, threads / col_parts));
  } else if (col_parts % threads != 0) {
    row_parts = std::min(row_blocks, parts_of(row_parts, threads) * threads);
  }
  parallel_for(cpu{static_cast<int>(threads)}, row_parts * col_parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const auto row_at = [&](std::size_t part) {
        return std::min(rows, row_blocks * part / row_parts * gemm_block<T>::rows);
      };
      const auto col_at = [&](std::size_t part) {
        return std::min(cols, col_blocks * part / col_parts * gemm_block<T>::cols);
      };
      const std::size_t i = t / col_parts;
      const std::size_t j = t % col_parts;
      body(row_at(i), row_at(i + 1), col_at(j), col_at(j + 1));
    }
  });
}

/// c = or += a b; sizes already checked. Calls finish(block, row, col) for every
/// block of c that is complete and still in the first-level cache; it starts at
/// c(row, col).
template <class T, class Finish>
void gemm(const cpu& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<T> c, bool accumulate, Finish&& finish) {
  for_each_gemm_tile<T>(
      exec, c.rows(), c.cols(), a.cols(), gemm_workspace<T>::rows, c.cols(),
      [&](std::size_t row, std::size_t row_end, std::size_t col, std::size_t col_end) {
        const matrix_view<T> tile(&c(row, col), row_end - row, col_end - col, c.stride());
        gemm_tile(a, b, row, col, tile, accumulate,
                  [&](matrix_view<T> block, std::size_t r, std::size_t j) { finish(block, row + r, col + j); });
      });
}

/// c = or += a b
template <class T>
void gemm(const cpu& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<T> c, bool accumulate) {
  gemm(exec, a, b, c, accumulate, [](matrix_view<T>, std::size_t, std::size_t) {});
}

/// c = a b + bias, or relu of that; bias 1 x n. The same bits as one after the other.
template <class T>
void gemm_bias(const cpu& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<const T> bias, bool relu,
               matrix_view<T> c) {
  gemm(exec, a, b, c, false, [&](matrix_view<T> block, std::size_t, std::size_t col) {
    const T* const add = bias.data() + col;
    for (std::size_t r = 0; r < block.rows(); ++r) {
      T* const row = block.row(r).data();
      for (std::size_t j = 0; j < block.cols(); ++j) {
        const T sum = row[j] + add[j];
        row[j] = relu ? elements::relu<T>{}(sum) : sum;
      }
    }
  });
}

/// start + a b (a b if `start` is empty) without a place to keep it: calls
/// use(tile, row, col) for every tile, which starts at (row, col) and whose memory
/// is used again afterwards. Tiles have the bits gemm() gives. They are as wide as
/// the result if they can be, for users that walk along memory of its shape.
/// Before that, announce(row, col, rows, cols) is called for the blocks of the
/// tile, one at a time between multiplications: the moment to fetch what use()
/// will read.
template <class T, class Announce, class Use>
void gemm_tiles(const cpu& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<const T> start, Announce&& announce,
                Use&& use) {
  using workspace = gemm_workspace<T>;
  constexpr std::size_t least_rows = 48 / gemm_block<T>::rows * gemm_block<T>::rows;
  const std::size_t most_cols = std::clamp<std::size_t>(b.cols(), 1, workspace::tile_size / least_rows);
  const std::size_t fitting = workspace::tile_size / most_cols / gemm_block<T>::rows * gemm_block<T>::rows;
  for_each_gemm_tile<T>(exec, a.rows(), b.cols(), a.cols(), std::min(fitting, workspace::rows), most_cols,
                        [&](std::size_t row, std::size_t row_end, std::size_t col, std::size_t col_end) {
                          T* const memory = workspace::of_this_thread().tile.data();
                          const matrix_view<T> tile(memory, row_end - row, col_end - col);
                          for (std::size_t r = 0; !start.empty() && r < tile.rows(); ++r) {
                            std::copy_n(&start(row + r, col), tile.cols(), tile.row(r).data());
                          }
                          gemm_tile(a, b, row, col, tile, !start.empty(),
                                    [&](matrix_view<T> block, std::size_t r, std::size_t j) {
                                      announce(row + r, col + j, block.rows(), block.cols());
                                    });
                          use(tile, row, col);
                        });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
