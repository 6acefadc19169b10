// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/device.hpp"
#include "graphpatcher/operands/frozen_operations.hpp"

/// Answers of a frozen GCN on a device (ops/corrupted_logits.hpp), through the table
/// of its backend.
namespace graphpatcher::backend {

template <class T, class S, graph_index I>
void corrupted_logits(const device& exec, const graph_view<I>& graph, const frozen_gcn<T, S>& model,
                      std::span<const I> anchors, const corruption_options& options,
                      const corrupted_answers<T>& answers) {
  find_operation(exec, &frozen_operations<T, S, I>::corrupted_logits, "corrupted_logits")(exec, graph, model, anchors,
                                                                                          options, answers);
}

}  // namespace graphpatcher::backend
