// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/simd.hpp"

/// How kernels cut the columns of rows into blocks whose numbers stay in registers.
namespace graphpatcher::backend::inline GP_LEVEL {

/// `Count` vectors of `Lanes` columns.
template <std::size_t Lanes, std::size_t Count>
struct block_shape {};

/// Calls body(block_shape, arguments...) with the shape of `count` vectors, a constant.
template <std::size_t Lanes, std::size_t Most, class Body, class... Arguments>
void with_block_shape(std::size_t count, const Body& body, Arguments... arguments) {
  if (count == Most) {
    body(block_shape<Lanes, Most>{}, arguments...);
  } else if constexpr (Most > 1) {
    with_block_shape<Lanes, Most - 1>(count, body, arguments...);
  }
}

/// Calls body(block_shape, row, last_row, first, last) on blocks of at most `Most` vectors that make up the columns
/// [first_col, last_col) of the rows [row, last_row). A block starts at column `first`; its last vector starts at
/// column `last` and may overlap the one before, which is in the same block. Fewer columns than a vector has take
/// narrower vectors. All blocks of a row come before the next row, unless there is but one.
template <class T, std::size_t Most, std::size_t Lanes = vector_lanes<T>, class Body>
void for_each_block(std::size_t row, std::size_t last_row, std::size_t first_col, std::size_t last_col,
                    const Body& body) {
  const std::size_t width = last_col - first_col;
  if constexpr (Lanes > 1) {
    if (width < Lanes) {
      return for_each_block<T, 2, Lanes / 2>(row, last_row, first_col, last_col, body);
    }
  }
  // blocks of nearly equal size, so that none has a single vector that overlaps another block
  const std::size_t vectors = (width + Lanes - 1) / Lanes;
  const std::size_t blocks = (vectors + Most - 1) / Most;
  const std::size_t rows_a_time = blocks == 1 ? last_row - row : 1;
  for (; row < last_row; row += rows_a_time) {
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t begin = vectors * block / blocks;
      const std::size_t end = vectors * (block + 1) / blocks;
      with_block_shape<Lanes, Most>(end - begin, body, row, row + rows_a_time, first_col + begin * Lanes,
                                    std::min(first_col + end * Lanes, last_col) - Lanes);
    }
  }
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
