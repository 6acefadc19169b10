// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/gather.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/ops/detail/message_checks.hpp"

namespace graphpatcher {

/// out[i, :] = x[ids[i], :]; ids in any order, with repeats.
template <class T, graph_index I>
void gather_rows(const executor& exec, input_view<T> x, std::span<const I> ids, matrix_view<T> out) {
  expects_ids(ids, x.rows(), "gather_rows");
  expects_shape(out, ids.size(), x.cols(), "gather_rows: result");
  exec.visit([&](const auto& on) { backend::gather_rows<T, I>(on, x, backend::resident(on, ids), out); });
}

/// out[ids[i], :] += x[i, :], for i from first to last: the adjoint of
/// gather_rows(). Equal ids add up in this order for any number of threads.
template <class T, graph_index I>
void scatter_add_rows(const executor& exec, input_view<T> x, std::span<const I> ids, matrix_view<T> out) {
  expects_ids(ids, out.rows(), "scatter_add_rows");
  expects_shape(x, ids.size(), out.cols(), "scatter_add_rows: rows to add");
  exec.visit([&](const auto& on) { backend::scatter_add_rows<T, I>(on, x, ids, T(1), out); });
}

}  // namespace graphpatcher
