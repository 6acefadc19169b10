// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/lanes.hpp"
#include "graphpatcher/cpu/simd.hpp"

/// As many rows as a vector has lanes, each row in a lane: a vector holds one column of all of them. Rows of a few
/// columns fill their vectors then, and what is summed over a row is summed without crossing lanes.
namespace graphpatcher::backend::inline GP_LEVEL {

namespace detail {

/// Of two rows of squares of Step x Step numbers, the squares [a b] and [c d] become [a c] and [b d].
template <std::size_t Step, class Vector, std::size_t... Lane>
inline void swap_squares(Vector& upper, Vector& lower, std::index_sequence<Lane...>) {
  constexpr std::size_t lanes = sizeof...(Lane);
  const Vector first = __builtin_shufflevector(upper, lower, ((Lane & Step) != 0 ? lanes + Lane - Step : Lane)...);
  lower = __builtin_shufflevector(upper, lower, ((Lane & Step) != 0 ? lanes + Lane : Lane + Step)...);
  upper = first;
}

}  // namespace detail

/// Turns a square: number j of vector i becomes number i of vector j. Squares of half the size change places, then
/// those within them.
template <class Vector, std::size_t Step = lanes_of<Vector> / 2>
[[gnu::always_inline]] inline void turn(Vector* square) {
  constexpr std::size_t lanes = lanes_of<Vector>;
  if constexpr (Step > 0) {
    unrolled<lanes>([&](auto i) __attribute__((always_inline)) {
      if constexpr ((i.value & Step) == 0) {
        detail::swap_squares<Step>(square[i.value], square[i.value + Step], std::make_index_sequence<lanes>{});
      }
    });
    turn<Vector, Step / 2>(square);
  }
}

/// `count` rows in the lanes of a vector, 1 to all; the last one stands in the lanes that are left.
template <class T>
class turned_rows {
public:
  static constexpr std::size_t lanes = vector_lanes<std::remove_const_t<T>>;
  using vector = typename vector_of<std::remove_const_t<T>, lanes>::type;

  /// Row i begins at first + i * step.
  turned_rows(T* first, std::size_t step, std::size_t count) : count_(count) {
    for (std::size_t i = 0; i < lanes; ++i) {
      rows_[i] = first + std::min(i, count - 1) * step;
    }
  }

  /// Calls body(vector) for the columns [0, cols) in their order.
  template <class Body>
  [[gnu::always_inline]] void for_each_column(std::size_t cols, const Body& body) const {
    vector square[lanes];
    for (std::size_t c = 0; c < cols; c += lanes) {
      const std::size_t width = std::min(lanes, cols - c);
      if (width == lanes) {
        unrolled<lanes>([&](auto i) { square[i.value] = load<lanes>(rows_[i.value] + c); });
      } else {
        unrolled<lanes>([&](auto i) { square[i.value] = load_first<lanes>(rows_[i.value] + c, width, T(0)); });
      }
      turn(square);
      for (std::size_t k = 0; k < width; ++k) {
        body(square[k]);
      }
    }
  }

  /// Writes the columns [0, cols): column(c) is a vector.
  template <class Column>
  void store_columns(std::size_t cols, const Column& column) const {
    vector square[lanes] = {};
    for (std::size_t c = 0; c < cols; c += lanes) {
      const std::size_t width = std::min(lanes, cols - c);
      for (std::size_t k = 0; k < width; ++k) {
        square[k] = column(c + k);
      }
      turn(square);
      for (std::size_t i = 0; i < count_; ++i) {
        store_first(rows_[i] + c, square[i], width);
      }
    }
  }

private:
  T* rows_[lanes];
  std::size_t count_;
};

}  // namespace graphpatcher::backend::inline GP_LEVEL
