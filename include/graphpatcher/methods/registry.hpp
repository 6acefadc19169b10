// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/methods/detail/compiled.hpp"
#include "graphpatcher/methods/dropedge.hpp"
#include "graphpatcher/methods/fixed.hpp"
#include "graphpatcher/methods/graphpatcher.hpp"
#include "graphpatcher/methods/method.hpp"
#include "graphpatcher/methods/tuneup.hpp"

/// The methods by name: what experiments, pipeline, tables and help know of them
/// comes from here.
namespace graphpatcher {

/// Methods, which are structs with `info` and `run`, found by their names.
template <class... Methods>
struct method_list {
  static constexpr std::array<method_info, sizeof...(Methods)> infos{Methods::info...};

  /// argument_error with the names that there are if this is none of them.
  static const method_info& find(std::string_view name) {
    std::string names;
    for (const auto& info : infos) {
      if (info.name == name) {
        return info;
      }
      names += (names.empty() ? "" : ", ") + std::string(info.name);
    }
    throw argument_error(text("no method is called '", name, "'; there are ", names));
  }

  template <class T, graph_index I>
  static void run(std::string_view name, method_run<T, I>& run) {
    find(name);
    expects(run.data != nullptr, "method '", name, "': expected a dataset, got a null pointer");
    if (!run.predict) {
      run.answer_as_backbone();
    }
    ((name == Methods::info.name ? Methods::run(run) : void()), ...);
  }
};

/// Every method. A new one is a header of its own and a name here.
using all_methods = method_list<no_method, zero_patches, mean_patches, copied_patches, untrained_patches,
                                trained_patches, dropedge, tuneup>;

/// The same, run by graphpatcher::compiled in programs that link it.
struct methods : all_methods {
  template <class T, graph_index I>
  static void run(std::string_view name, method_run<T, I>& run) {
    if constexpr (GP_CALLS_COMPILED) {
      compiled::run_method(name, run);
    } else {
      all_methods::run(name, run);
    }
  }
};

}  // namespace graphpatcher
