// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/option_names.hpp"
#include "graphpatcher/methods/correct_and_smooth.hpp"
#include "graphpatcher/methods/densify.hpp"
#include "graphpatcher/methods/detail/compiled.hpp"
#include "graphpatcher/methods/distilled_mlp.hpp"
#include "graphpatcher/methods/dropedge.hpp"
#include "graphpatcher/methods/duplicate.hpp"
#include "graphpatcher/methods/fixed.hpp"
#include "graphpatcher/methods/graphpatcher.hpp"
#include "graphpatcher/methods/method.hpp"
#include "graphpatcher/methods/propagate.hpp"
#include "graphpatcher/methods/spread.hpp"
#include "graphpatcher/methods/tuneup.hpp"
#include "graphpatcher/methods/weighted.hpp"

/// The methods by name: what experiments, pipeline, tables and help know of them
/// comes from here. Names joined by + are a method too: its parts act one after
/// the other, "graphpatcher+spread".
namespace graphpatcher {

/// Methods, which are structs with `info` and `run`, found by their names.
template <class... Methods>
struct method_list {
  static constexpr std::array<method_info, sizeof...(Methods)> infos{Methods::info...};

  /// argument_error with the nearest name, or all, if this is none of them. Of several parts the one that speaks for
  /// all: the last that trains patches, else the last.
  static const method_info& find(std::string_view name) {
    const method_info* found = nullptr;
    for_each_part(name, [&](std::string_view part) {
      const auto& info = find_part(part);
      found = found != nullptr && trains_patches(*found) && !trains_patches(info) ? found : &info;
    });
    return *found;
  }

  template <class T, graph_index I>
  static void run(std::string_view name, method_run<T, I>& run) {
    find(name);
    expects(run.data != nullptr, "method '", name, "': expected a dataset, got a null pointer");
    if (!run.predict) {
      run.answer_as_backbone();
    }
    for_each_part(name,
                  [&](std::string_view part) { ((part == Methods::info.name ? Methods::run(run) : void()), ...); });
  }

private:
  static void for_each_part(std::string_view name, const auto& visit) {
    for (std::size_t end = name.find('+'); end != name.npos; end = name.find('+')) {
      visit(name.substr(0, end));
      name.remove_prefix(end + 1);
    }
    visit(name);
  }

  static const method_info& find_part(std::string_view part) {
    option_names known;
    for (const auto& info : infos) {
      if (info.name == part) {
        return info;
      }
      known.add(option_name(info.name));
    }
    throw argument_error(text("no method is called '", part, "'; ", known.advice(part)));
  }
};

/// Every method. A new one is a header of its own and a name here.
using all_methods = method_list<no_method, zero_patches, mean_patches, copied_patches, untrained_patches,
                                trained_patches, weighted, weighted_fast, weighted_controls, spread_answers, densify,
                                duplicate, distilled_mlp, propagate, correct_and_smooth, dropedge, tuneup>;

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
