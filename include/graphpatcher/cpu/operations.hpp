// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/operands/operations.hpp"

/// The operations of the processor as tables of functions, which graphpatcher::compiled
/// fills once for each instruction level (kernels/cpu/operations.hpp). Programs that
/// link it call through the tables of the level that was chosen when they started.

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

}  // namespace GP_LEVEL
#else

/// Of the level that was chosen, for float and double, std::int32_t and std::int64_t.
template <class T>
const backend::dense_operations<cpu, T>& dense_operations();
template <class T, graph_index I>
const backend::graph_operations<cpu, T, I>& graph_operations();

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

}  // namespace graphpatcher::backend

#endif
