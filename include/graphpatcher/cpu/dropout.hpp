// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/cpu/split.hpp"
#include "graphpatcher/ops/sparse_rows.hpp"

namespace graphpatcher::backend {

/// Key of a row: its own if there is one, else its number.
template <class I>
std::uint64_t row_key(std::span<const I> keys, std::size_t row) {
  return keys.empty() ? row : static_cast<std::uint64_t>(keys[row]);
}

/// What keeps or drops the elements of a row: 32 random bits each, four
/// neighbouring columns from one Philox block.
class dropout_row {
public:
  /// An element stays with the probability 1 - `probability`.
  dropout_row(const random_stream& stream, double probability, std::uint64_t key)
      : stream_(stream), key_(key), threshold_(static_cast<std::uint32_t>(probability_threshold(probability))) {}

  /// Calls body(column, kept) for every column of `cols`.
  template <class Body>
  void for_each(std::size_t cols, Body&& body) const {
    constexpr std::size_t columns_at_once = 4 * philox::run_blocks;
    for (std::size_t first = 0; first < cols; first += columns_at_once) {
      const auto bits = stream_.run(key_, first / 4);
      const std::size_t count = std::min(columns_at_once, cols - first);
      for (std::size_t i = 0; i < count; ++i) {
        body(first + i, bits[i] >= threshold_);
      }
    }
  }

private:
  random_stream stream_;
  std::uint64_t key_;
  std::uint32_t threshold_;
};

/// y = or += the kept elements of x, scaled.
template <bool Accumulate, class T, class I>
void dropout(const cpu& exec, random_stream stream, double probability, std::span<const I> keys, input_view<T> x,
             matrix_view<T> y) {
  const T factor = static_cast<T>(1 / (1 - probability));
  for_each_row(exec, x.rows(), 4 * x.cols(), [&](std::size_t r) {
    const T* const from = x.row(r).data();
    T* const to = y.row(r).data();
    dropout_row(stream, probability, row_key(keys, r)).for_each(x.cols(), [=](std::size_t c, bool kept) {
      const T scaled = factor * from[c];  // always computed: no branch, so that the loop becomes vectors
      const T value = kept ? scaled : T(0);
      to[c] = Accumulate ? to[c] + value : value;
    });
  });
}

template <class T, class I>
void sparse_dropout(const cpu& exec, random_stream stream, double probability, const sparse_rows<T, I>& x,
                    std::span<const std::size_t> offsets, std::span<T> values) {
  const std::uint64_t threshold = probability_threshold(probability);
  const T factor = static_cast<T>(1 / (1 - probability));
  for_each_row(exec, x.ids.size(), 64, [&](std::size_t r) {
    const auto row = x.row(r);
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      const auto column = static_cast<std::uint64_t>(row.columns[i]);
      const auto bits = stream.bits(static_cast<std::uint64_t>(x.ids[r]), column / 4);
      values[offsets[r] + i] = bits[column % 4] < threshold ? T(0) : factor * row.values[i];
    }
  });
}

}  // namespace graphpatcher::backend
