// SPDX-License-Identifier: MIT
#pragma once

#define GP_CALLS_OPERATIONS 0  // here they are compiled
#include "graphpatcher/cpu/activation.hpp"
#include "graphpatcher/cpu/dropout.hpp"
#include "graphpatcher/cpu/edge_softmax.hpp"
#include "graphpatcher/cpu/elementwise.hpp"
#include "graphpatcher/cpu/gather.hpp"
#include "graphpatcher/cpu/gemm.hpp"
#include "graphpatcher/cpu/loss.hpp"
#include "graphpatcher/cpu/norm.hpp"
#include "graphpatcher/cpu/optimizer.hpp"
#include "graphpatcher/cpu/segment_reduce.hpp"
#include "graphpatcher/cpu/sparse_gemm.hpp"
#include "graphpatcher/cpu/spmm.hpp"
#include "kernels/cpu/table.hpp"

/// The operations of this level, one for each entry of operands/operations.hpp. A file for
/// each type of numbers compiles them with GP_OPERATIONS.
namespace graphpatcher::compiled::inline GP_LEVEL {

// clang-format off
#define GP_FILL(entry, name, parameters, arguments) [](const cpu& exec, GP_LIST parameters) { backend::name(exec, GP_LIST arguments); },

template <class T>
constexpr backend::dense_operations<cpu, T> all_dense() {
  return {GP_DENSE_OPERATIONS(GP_FILL) GP_ELEMENT_OPERATIONS(GP_FILL) GP_FUSED_OPERATIONS(GP_FILL)};
}

template <class T, graph_index I>
constexpr backend::graph_operations<cpu, T, I> all_graph() {
  return {GP_GRAPH_OPERATIONS(GP_FILL)};
}

#undef GP_FILL

#define GP_DENSE(T)                                                                                                   \
  template <>                                                                                                         \
  constinit const backend::dense_operations<cpu, T> filled<backend::dense_operations<cpu, T>>::part = all_dense<T>();
#define GP_GRAPH(T, I)                                                                                                \
  template <>                                                                                                         \
  constinit const backend::graph_operations<cpu, T, I> filled<backend::graph_operations<cpu, T, I>>::part =           \
      all_graph<T, I>();

#define GP_OPERATIONS(T)     \
  GP_DENSE(T)                \
  GP_GRAPH(T, std::int32_t)  \
  GP_GRAPH(T, std::int64_t)
// clang-format on

}  // namespace graphpatcher::compiled::inline GP_LEVEL
