// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

template <class T, graph_index I>
struct method_run;

namespace compiled {

/// Runs a method of the registry in graphpatcher::compiled, for float and double,
/// std::int32_t and std::int64_t. It is there once and not for each level: what costs
/// time in a method is an operation or an algorithm, and those are called through the
/// table of the level.
template <class T, graph_index I>
void run_method(std::string_view name, method_run<T, I>& run);

}  // namespace compiled
}  // namespace graphpatcher
