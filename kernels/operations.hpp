// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/operands/frozen_operations.hpp"
#include "graphpatcher/operands/operations.hpp"

/// The operations on the GPU, as the lists of operands/operations.hpp have them: what
/// the .cu files define and runtime/library.cpp puts into tables.
namespace graphpatcher::backend::on_cuda {

// clang-format off
#define GP_DECLARE(entry, name, parameters, arguments)    \
  template <class T>                                      \
  void name(const device& exec, GP_LIST parameters);
GP_DENSE_OPERATIONS(GP_DECLARE)
GP_ELEMENT_OPERATIONS(GP_DECLARE)
#undef GP_DECLARE

#define GP_DECLARE(entry, name, parameters, arguments)    \
  template <class T, graph_index I>                       \
  void name(const device& exec, GP_LIST parameters);
GP_GRAPH_OPERATIONS(GP_DECLARE)
#undef GP_DECLARE
// clang-format on

/// Compiled for T = float with S = float, float16 or bfloat16, and for
/// T = S = double; I = std::int32_t.
template <class T, class S, graph_index I>
void corrupted_logits(const device& exec, const graph_view<I>& graph, const frozen_gcn<T, S>& model,
                      std::span<const I> anchors, const corruption_options& options,
                      const corrupted_answers<T>& answers);

}  // namespace graphpatcher::backend::on_cuda
