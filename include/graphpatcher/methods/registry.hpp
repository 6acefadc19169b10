// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/methods/method_info.hpp"

namespace graphpatcher {

template <class T, graph_index I>
struct method_run;

/// The methods of this library by name: what experiments, pipeline, tables and help know of them comes from here. Names
/// joined by + are a method too: its parts act one after the other, "graphpatcher+spread".
///
/// Functions of graphpatcher::compiled, which has them once and not for each level: what costs time in a method is an
/// operation or an algorithm, and those are called through the table of the level. A program of headers alone makes a
/// list of the methods that it wants (methods/method_list.hpp).
struct methods {
  static const std::span<const method_info> infos;

  /// argument_error with the nearest name, or all, if this is none of them. Of several parts the one that speaks for
  /// all: the last that trains patches, else the last.
  static const method_info& find(std::string_view name);

  /// For float and double, std::int32_t and std::int64_t.
  template <class T, graph_index I>
  static void run(std::string_view name, method_run<T, I>& run);
};

}  // namespace graphpatcher
