// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/parallel_for.hpp"

/// How the default backend cuts matrices into pieces for threads. A piece owns
/// whole rows, or whole columns where a sum runs down the rows; either way one
/// thread computes an element from start to end, in the order of the rows.
namespace graphpatcher::backend {

/// Numbers a piece should hold at least, to be worth waking a thread for.
inline constexpr std::size_t piece_size = std::size_t{1} << 14;

/// Calls body(row) for each of `rows` rows that cost about `cost` numbers each.
template <class Body>
void for_each_row(const cpu& exec, std::size_t rows, std::size_t cost, Body&& body) {
  const std::size_t grain = std::max<std::size_t>(1, piece_size / std::max<std::size_t>(1, cost));
  parallel_for(exec, rows, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      body(row);
    }
  });
}

/// Calls body(begin, end) for ranges of columns that cost about `cost` numbers
/// each. Ranges start on multiples of 32, so that threads share no cache line
/// of a row that starts on one.
template <class Body>
void for_each_column_range(const cpu& exec, std::size_t cols, std::size_t cost, Body&& body) {
  constexpr std::size_t unit = 32;
  check_executor(exec);
  const auto threads = static_cast<std::size_t>(exec.threads);
  const std::size_t share = (cols + threads - 1) / threads;
  const std::size_t least = piece_size / std::max<std::size_t>(1, cost);
  const std::size_t grain = (std::max(share, least) + unit - 1) / unit * unit;
  parallel_for(exec, cols, grain, body);
}

}  // namespace graphpatcher::backend
