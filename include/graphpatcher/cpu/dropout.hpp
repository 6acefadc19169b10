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

/// y = or += the kept elements of x, scaled. One Philox block serves four
/// neighbouring columns.
template <bool Accumulate, class T, class I>
void dropout(const cpu& exec, random_stream stream, double probability, std::span<const I> keys, input_view<T> x,
             matrix_view<T> y) {
  const std::uint64_t threshold = probability_threshold(probability);
  const T factor = static_cast<T>(1 / (1 - probability));
  for_each_row(exec, x.rows(), 8 * x.cols(), [&](std::size_t r) {
    const std::uint64_t key = row_key(keys, r);
    for (std::size_t block = 0; block < x.cols(); block += 4) {
      const auto bits = stream.bits(key, block / 4);
      const std::size_t end = std::min(block + 4, x.cols());
      for (std::size_t c = block; c < end; ++c) {
        const T kept = bits[c - block] < threshold ? T(0) : factor * x(r, c);
        y(r, c) = Accumulate ? y(r, c) + kept : kept;
      }
    }
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
