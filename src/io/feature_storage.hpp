// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace graphpatcher::detail {

/// What a file that writes out every number of its features becomes: a dense table if at least a third of them isn't 0,
/// sparse rows otherwise. Products with sparse rows take about as long as dense ones where 20 to 40 % of the numbers
/// aren't 0 (docs/datasets.md has the measurement), and at a half sparse rows take as much memory. Files that list
/// their non-zeros are always sparse.
inline bool stays_dense(std::size_t nonzeros, std::size_t rows, std::size_t cols) {
  return rows > 0 && cols > 0 && nonzeros >= (rows * cols + 2) / 3;
}

}  // namespace graphpatcher::detail
