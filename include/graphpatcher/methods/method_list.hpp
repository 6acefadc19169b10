// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "graphpatcher/core/option_names.hpp"
#include "graphpatcher/methods/method.hpp"

/// Methods by name. Names joined by + are a method too: its parts act one after
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

  /// Runs a method, or several, on what `run` has.
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

}  // namespace graphpatcher
