// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <type_traits>

#include "graphpatcher/core/device.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/graph_view.hpp"
#include "graphpatcher/operands/frozen_gcn.hpp"
#include "graphpatcher/operands/operations.hpp"

namespace graphpatcher::backend {

/// From masks to a frozen GCN's answers without building an ego-graph, on devices
/// alone (ops/corrupted_logits.hpp): the processor has patcher/fast_path.hpp. S: how
/// the projected features are stored. Graph, model and answers are in the device's
/// memory, anchors in the host's.
template <class T, class S, graph_index I>
struct frozen_operations {
  static std::string types() {
    return types_text<T, I>() + (std::is_same_v<S, T> ? "" : ", features stored in 16 bits");
  }

  void (*corrupted_logits)(const device& exec, const graph_view<I>& graph, const frozen_gcn<T, S>& model,
                           std::span<const I> anchors, const corruption_options& options,
                           const corrupted_answers<T>& answers) = nullptr;
};

}  // namespace graphpatcher::backend
