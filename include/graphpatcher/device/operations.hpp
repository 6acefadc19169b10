// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/device.hpp"
#include "graphpatcher/operands/operations.hpp"

/// The operations on a device, by the names that cpu/ has them: calls through the
/// tables of its backend. What a table has not throws backend_error.
namespace graphpatcher::backend {

// clang-format off
#define GP_CALL(entry, name, parameters, arguments)                                                           \
  template <class T>                                                                                          \
  void name(const device& exec, GP_LIST parameters) {                                                         \
    find_operation(exec, &dense_operations<device, T>::entry, #entry)(exec, GP_LIST arguments);               \
  }
GP_DENSE_OPERATIONS(GP_CALL)
GP_ELEMENT_OPERATIONS(GP_CALL)
GP_FUSED_OPERATIONS(GP_CALL)
#undef GP_CALL

#define GP_CALL(entry, name, parameters, arguments)                                                           \
  template <class T, graph_index I>                                                                           \
  void name(const device& exec, GP_LIST parameters) {                                                         \
    find_operation(exec, &graph_operations<device, T, I>::entry, #entry)(exec, GP_LIST arguments);            \
  }
GP_GRAPH_OPERATIONS(GP_CALL)
#undef GP_CALL
// clang-format on

}  // namespace graphpatcher::backend
