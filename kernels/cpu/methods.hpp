// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/methods/registry.hpp"

/// The methods of the registry, compiled once and not for a level (methods/detail/compiled.hpp says why).
namespace graphpatcher::compiled {

template <class T, graph_index I>
void run_method(std::string_view name, method_run<T, I>& run) {
  all_methods::run(name, run);
}

}  // namespace graphpatcher::compiled
