// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/cpu/gemm_tile.hpp"
#include "graphpatcher/ops/elements.hpp"
#include "graphpatcher/ops/gemm_operand.hpp"

/// The dense product, and products whose result is worked on while the cache
/// still holds it. How a result is cut into tiles may depend on anything, threads
/// and rows included: it leaves no trace in the bits (gemm_kernel.hpp).
namespace graphpatcher::backend {

/// Calls body(row, row_end, col, col_end) for tiles of a result, at most
/// `most_rows` x `most_cols`, about equal, cut at blocks, and so many that every
/// thread gets the same number of them.
template <class T, class Body>
void for_each_gemm_tile(const cpu& exec, std::size_t rows, std::size_t cols, std::size_t depth, std::size_t most_rows,
                        std::size_t most_cols, Body&& body) {
  constexpr std::size_t least_work = std::size_t{1} << 18;  // multiplications worth waking a thread for
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
  if (const std::size_t tiles = row_parts * col_parts; tiles < 4 * threads) {
    col_parts = std::min(col_blocks, col_parts * (threads / std::gcd(tiles, threads)));
    row_parts = std::max(row_parts, std::min(row_blocks, threads / col_parts));
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

/// c = or += a b; sizes already checked. Calls finish(part, row, col) for every
/// part of c, `row` and `col` its first ones, when it is complete and still in
/// the cache. Parts are a few columns wide and many rows high.
template <class T, class Finish>
void gemm(const cpu& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<T> c, bool accumulate, Finish&& finish) {
  for_each_gemm_tile<T>(exec, c.rows(), c.cols(), a.cols(), gemm_workspace<T>::rows, c.cols(),
                        [&](std::size_t row, std::size_t row_end, std::size_t col, std::size_t col_end) {
                          const matrix_view<T> tile(&c(row, col), row_end - row, col_end - col, c.stride());
                          gemm_tile(a, b, row, col, tile, accumulate,
                                    [&](matrix_view<T> part, std::size_t first) { finish(part, row, col + first); });
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
  gemm(exec, a, b, c, false, [&](matrix_view<T> part, std::size_t, std::size_t col) {
    const T* const add = bias.data() + col;
    for (std::size_t r = 0; r < part.rows(); ++r) {
      T* const row = part.row(r).data();
      for (std::size_t j = 0; j < part.cols(); ++j) {
        const T sum = row[j] + add[j];
        row[j] = relu ? elements::relu<T>{}(sum) : sum;
      }
    }
  });
}

/// start + a b (a b if `start` is empty) without a place to keep it: calls
/// use(tile, row, col) for every tile, `row` and `col` its first ones; the tile's
/// memory is used again afterwards. Tiles have the bits gemm() gives.
template <class T, class Use>
void gemm_tiles(const cpu& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<const T> start, Use&& use) {
  using workspace = gemm_workspace<T>;
  for_each_gemm_tile<T>(exec, a.rows(), b.cols(), a.cols(), workspace::tile_rows, workspace::tile_cols,
                        [&](std::size_t row, std::size_t row_end, std::size_t col, std::size_t col_end) {
                          T* const memory = workspace::of_this_thread().tile.data();
                          const matrix_view<T> tile(memory, row_end - row, col_end - col);
                          if (!start.empty()) {
                            for (std::size_t r = 0; r < tile.rows(); ++r) {
                              std::copy_n(&start(row + r, col), tile.cols(), tile.row(r).data());
                            }
                          }
                          gemm_tile(a, b, row, col, tile, !start.empty(), [](matrix_view<T>, std::size_t) {});
                          use(tile, row, col);
                        });
}

}  // namespace graphpatcher::backend
