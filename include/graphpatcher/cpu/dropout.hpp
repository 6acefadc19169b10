// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/cpu/pieces.hpp"
#include "graphpatcher/operands/feature_rows.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

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

/// The same for as many narrow rows as fill the blocks that are computed side by side: a row of 8 columns, such as the
/// heads of an edge, has two.
class narrow_dropout_rows {
public:
  static bool are_narrow(std::size_t cols) { return cols <= 2 * philox::run_blocks; }

  narrow_dropout_rows(const random_stream& stream, double probability, std::size_t cols)
      : stream_(stream),
        threshold_(static_cast<std::uint32_t>(probability_threshold(probability))),
        row_blocks_((cols + 3) / 4) {}

  std::size_t at_once() const { return philox::run_blocks / row_blocks_; }

  /// Calls body(row, kept) for every row from `begin` to `end`, at most at_once(): kept(column) tells of its elements.
  template <class I, class Body>
  void for_each(std::span<const I> keys, std::size_t begin, std::size_t end, Body&& body) const {
    philox::half_counters key{}, block{};
    for (std::size_t row = begin, i = 0; row < end; ++row) {
      for (std::size_t b = 0; b < row_blocks_; ++b, ++i) {
        key[i] = row_key(keys, row);
        block[i] = b;
      }
    }
    const auto bits = stream_.blocks(key, block);
    for (std::size_t row = begin; row < end; ++row) {
      const std::uint32_t* const own = bits.data() + 4 * row_blocks_ * (row - begin);
      body(row, [own, threshold = threshold_](std::size_t column) { return own[column] >= threshold; });
    }
  }

private:
  random_stream stream_;
  std::uint32_t threshold_;
  std::size_t row_blocks_;  // of four columns each
};

}  // namespace graphpatcher::backend::inline GP_LEVEL

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

namespace graphpatcher::backend::inline GP_LEVEL {

/// y = or += the kept elements of x, scaled.
template <bool Accumulate, class T, class I>
void put_kept(const cpu& exec, random_stream stream, double probability, std::span<const I> keys,
              matrix_view<const T> x, matrix_view<T> y) {
  const std::size_t rows = x.rows(), cols = x.cols();
  const T factor = static_cast<T>(1 / (1 - probability));
  const auto put = [factor](const T* from, T* to, bool kept) {
    const T scaled = factor * *from;  // always computed: no branch, so that the loop becomes vectors
    const T value = kept ? scaled : T(0);
    *to = Accumulate ? *to + value : value;
  };
  if (cols > 0 && narrow_dropout_rows::are_narrow(cols)) {
    const narrow_dropout_rows narrow(stream, probability, cols);
    const std::size_t at_once = narrow.at_once();
    for_each_row(exec, (rows + at_once - 1) / at_once, 4 * cols * at_once, [&](std::size_t group) {
      const std::size_t begin = group * at_once, end = std::min(rows, begin + at_once);
      narrow.for_each(keys, begin, end, [&](std::size_t r, auto kept) {
        const T* const from = x.row(r).data();
        T* const to = y.row(r).data();
        for (std::size_t c = 0; c < cols; ++c) {
          put(from + c, to + c, kept(c));
        }
      });
    });
    return;
  }
  for_each_row(exec, rows, 4 * cols, [&](std::size_t r) {
    const T* const from = x.row(r).data();
    T* const to = y.row(r).data();
    dropout_row(stream, probability, row_key(keys, r)).for_each(cols, [=](std::size_t c, bool kept) {
      put(from + c, to + c, kept);
    });
  });
}

template <class T, class I>
void dropout(const cpu& exec, random_stream stream, double probability, std::span<const I> keys, matrix_view<const T> x,
             matrix_view<T> y) {
  put_kept<false>(exec, stream, probability, keys, x, y);
}
template <class T, class I>
void dropout_add(const cpu& exec, random_stream stream, double probability, std::span<const I> keys,
                 matrix_view<const T> x, matrix_view<T> y) {
  put_kept<true>(exec, stream, probability, keys, x, y);
}

/// Row r of x, dropped and scaled: its stored numbers, one after the other.
template <class T, class I>
void drop_row(const random_stream& stream, double probability, const sparse_rows<T, I>& x, std::size_t r, T* out) {
  const std::uint64_t threshold = probability_threshold(probability);
  const T factor = static_cast<T>(1 / (1 - probability));
  const auto row = x.row(r);
  philox::half_counters id{}, block{};
  id.fill(static_cast<std::uint64_t>(x.ids[r]));
  for (std::size_t first = 0; first < row.columns.size(); first += philox::run_blocks) {
    const std::size_t count = std::min(philox::run_blocks, row.columns.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      block[i] = static_cast<std::uint64_t>(row.columns[first + i]) / 4;
    }
    const auto bits = stream.blocks(id, block);
    for (std::size_t i = 0; i < count; ++i) {
      const auto column = static_cast<std::size_t>(row.columns[first + i]);
      const T scaled = factor * row.values[first + i];
      out[first + i] = bits[4 * i + column % 4] < threshold ? T(0) : scaled;
    }
  }
}
template <class T, class S, class I>
void drop_row(const random_stream& stream, double probability, const dense_table_rows<S, I>& x, std::size_t r, T* out) {
  const S* const from = x.row(r);
  if (from == nullptr) {
    return;
  }
  const T factor = static_cast<T>(1 / (1 - probability));
  dropout_row(stream, probability, static_cast<std::uint64_t>(x.ids[r]))
      .for_each(x.cols, [=](std::size_t c, bool kept) {
        const T scaled = factor * number_as<T>(from[c]);
        out[c] = kept ? scaled : T(0);
      });
}

template <class T, graph_index I>
void sparse_dropout(const cpu& exec, random_stream stream, double probability, const feature_rows<T, I>& x,
                    std::span<const std::size_t> offsets, std::span<T> values) {
  visit_rows(exec, x, [&](const auto& rows) {
    for_each_row(exec, x.ids.size(), 64, [&](std::size_t r) {
      if (x.ids[r] >= 0) {
        drop_row<T>(stream, probability, rows, r, values.data() + offsets[r]);
      }
    });
  });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
