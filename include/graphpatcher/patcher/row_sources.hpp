// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

namespace graphpatcher {

/// What a receiver aggregates: the rows of its sources in the order of message
/// graphs (itself, neighbours by ascending id, patches by step), and its own.
/// Only a patch that has no loop is no source of itself.
template <class T>
struct row_sources {
  const T* own;                    ///< row of the receiver itself
  std::span<const T* const> rows;  ///< of its sources
  std::span<const T> scales;       ///< one a source: 1 / sqrt(degree), for layers that ask for it; else empty
};

/// Rows stand in memory with a width that is a multiple of this, so that no loop
/// over them has a tail.
inline constexpr std::size_t row_unit = 8;

constexpr std::size_t padded(std::size_t width) {
  return (width + row_unit - 1) / row_unit * row_unit;
}

}  // namespace graphpatcher
