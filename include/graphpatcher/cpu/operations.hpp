// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/operands/operations.hpp"

/// The operations of the processor as tables of functions, which graphpatcher::compiled
/// fills once for each instruction level (kernels/cpu/operations.hpp). Programs that
/// link it call through the tables of the level that was chosen when they started.

namespace graphpatcher::backend {

/// What is asked of ids before an operation trusts them (cpu/id_checks.hpp), for the same reason a table.
template <graph_index I>
struct id_checks {
  bool (*ids_are_below)(std::span<const I> ids, std::size_t count, I least) noexcept = nullptr;
  bool (*offsets_rise)(std::span<const I> offsets) noexcept = nullptr;
};

}  // namespace graphpatcher::backend

#if GP_BUILDS_LEVEL

namespace graphpatcher::compiled::inline GP_LEVEL {

/// A part of a level's table, filled in the file that compiles its functions.
template <class Part>
struct filled {
  static const Part part;
};

}  // namespace graphpatcher::compiled::inline GP_LEVEL

#endif

#if GP_CALLS_OPERATIONS

namespace graphpatcher::compiled {

#if GP_BUILDS_LEVEL
inline namespace GP_LEVEL {

// The files of a level call its own.
template <class T>
const backend::dense_operations<cpu, T>& dense_operations() {
  return filled<backend::dense_operations<cpu, T>>::part;
}
template <class T, graph_index I>
const backend::graph_operations<cpu, T, I>& graph_operations() {
  return filled<backend::graph_operations<cpu, T, I>>::part;
}
template <graph_index I>
const backend::id_checks<I>& id_checks() {
  return filled<backend::id_checks<I>>::part;
}

}  // namespace GP_LEVEL
#else

/// Of the level that was chosen, for float and double, std::int32_t and std::int64_t.
template <class T>
const backend::dense_operations<cpu, T>& dense_operations();
template <class T, graph_index I>
const backend::graph_operations<cpu, T, I>& graph_operations();
template <graph_index I>
const backend::id_checks<I>& id_checks();

#endif

}  // namespace graphpatcher::compiled

namespace graphpatcher::backend {

// clang-format off
#define GP_FORWARD(entry, name, parameters, arguments)                              \
  template <class T>                                                                \
  void name(const cpu& exec, GP_LIST parameters) {                                  \
    compiled::dense_operations<T>().entry(exec, GP_LIST arguments);                 \
  }
GP_DENSE_OPERATIONS(GP_FORWARD)
GP_ELEMENT_OPERATIONS(GP_FORWARD)
GP_FUSED_OPERATIONS(GP_FORWARD)
#undef GP_FORWARD

#define GP_FORWARD(entry, name, parameters, arguments)                              \
  template <class T, graph_index I>                                                 \
  void name(const cpu& exec, GP_LIST parameters) {                                  \
    compiled::graph_operations<T, I>().entry(exec, GP_LIST arguments);              \
  }
GP_GRAPH_OPERATIONS(GP_FORWARD)
#undef GP_FORWARD
// clang-format on

template <graph_index I>
bool ids_are_below(std::span<const I> ids, std::size_t count, I least = 0) noexcept {
  return compiled::id_checks<I>().ids_are_below(ids, count, least);
}
template <graph_index I>
bool offsets_rise(std::span<const I> offsets) noexcept {
  return compiled::id_checks<I>().offsets_rise(offsets);
}

}  // namespace graphpatcher::backend

#endif
