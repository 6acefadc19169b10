// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/core/sparse_matrix.hpp"

namespace graphpatcher {

/// Every row divided by its sum, so that it sums to 1; rows that sum to 0 stay
/// as they are. What the papers on Cora, Citeseer and Pubmed do with their
/// features before anything else. Sums are taken in double in the order of the
/// columns, and each value is rounded once.
template <class T, class I>
sparse_matrix<T, I> normalise_rows(const sparse_matrix<T, I>& features) {
  std::vector<T> values(features.values().begin(), features.values().end());
  auto out = values.begin();
  for (std::size_t r = 0; r < features.rows(); ++r) {
    double sum = 0;
    for (const T value : features.row_values(r)) {
      sum += static_cast<double>(value);
    }
    for (const T value : features.row_values(r)) {
      *out++ = sum == 0 ? value : static_cast<T>(static_cast<double>(value) / sum);
    }
  }
  return {features.rows(),
          features.cols(),
          {features.offsets().begin(), features.offsets().end()},
          {features.columns().begin(), features.columns().end()},
          std::move(values)};
}

}  // namespace graphpatcher
