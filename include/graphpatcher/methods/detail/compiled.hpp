// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "graphpatcher/graph/csr_graph.hpp"

/// The methods of the registry as a function of graphpatcher::compiled
/// (models/compiled.hpp says when it is called).
namespace graphpatcher {

template <class T, graph_index I>
struct method_run;

namespace compiled {

template <class T, graph_index I>
struct method_functions {
  void (*run)(std::string_view name, method_run<T, I>& run);
};

/// Of the level that was chosen, for float and double, std::int32_t and std::int64_t.
template <class T, graph_index I>
const method_functions<T, I>& method_functions_of();

}  // namespace compiled
}  // namespace graphpatcher
