// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>

#include "graphpatcher/cpu/simd.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

/// What is asked of ids and offsets before every operation that trusts them, over the same memory as the operation
/// itself: so it is written as vectors, which GCC 12 makes of no loop at -O2.
namespace graphpatcher::backend::inline GP_LEVEL {

/// Whether term(load, i) has its highest bit for an i below `count`. `load` takes a pointer to ids and gives the one
/// that stands there, or it and those behind it: unsigned numbers, or vectors of them.
template <graph_index I, class Term>
bool any_highest_bit(std::size_t count, const Term& term) noexcept {
  using number = std::make_unsigned_t<I>;
  constexpr std::size_t lanes = vector_lanes<number>;
  constexpr std::size_t vectors = 4;  // a turn of the loop
  using vector = typename vector_of<number, lanes>::type;
  const auto load_vector = [](const I* from) { return load<lanes>(reinterpret_cast<const number*>(from)); };
  const auto load_one = [](const I* from) { return static_cast<number>(*from); };

  vector found[vectors] = {};
  std::size_t i = 0;
  for (; i + vectors * lanes <= count; i += vectors * lanes) {
    unrolled<vectors>([&](auto v) { found[v] |= term(load_vector, i + v * lanes); });
  }
  const vector all = (found[0] | found[1]) | (found[2] | found[3]);
  number any = 0;
  unrolled<lanes>([&](auto lane) { any |= all[lane.value]; });
  for (; i < count; ++i) {
    any |= term(load_one, i);
  }
  return any >> (std::numeric_limits<number>::digits - 1) != 0;
}

/// Whether every id lies in [least, count), least being 0 or -1. With k = id - least, from 0 to count - least - 1: k
/// has its highest bit where it is negative, that last one less k where k is too large.
template <graph_index I>
bool ids_are_below(std::span<const I> ids, std::size_t count, I least = 0) noexcept {
  using number = std::make_unsigned_t<I>;
  constexpr auto largest = static_cast<std::size_t>(std::numeric_limits<I>::max());
  const auto first = static_cast<number>(least);
  const auto upwards = static_cast<std::size_t>(least + 1);
  const auto last = static_cast<number>(std::min(count, largest + upwards) - upwards);
  return !any_highest_bit<I>(ids.size(), [&](const auto& load, std::size_t i) {
    const auto k = load(ids.data() + i) - first;
    return k | (last - k);
  });
}

/// Whether offsets that begin with 0 never fall: then none is negative, and no difference.
template <graph_index I>
bool offsets_rise(std::span<const I> offsets) noexcept {
  return offsets.empty() || !any_highest_bit<I>(offsets.size() - 1, [&](const auto& load, std::size_t i) {
           const auto next = load(offsets.data() + i + 1);
           return next | (next - load(offsets.data() + i));
         });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
