// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace graphpatcher {

/// What a method against degree bias is beside the others.
enum class method_role {
  baseline,  ///< the backbone as it is
  control,   ///< what needs no training of a patcher, and what one is compared with
  patcher,   ///< patches that are trained, by the options of patcher_config
  rule,      ///< answers of such patches weighed on validation nodes; the same options
  rival,     ///< another way: the backbone is trained otherwise, or its answers are changed
};

/// What everybody may know of a method.
struct method_info {
  std::string_view name;  ///< on command lines and in results
  std::string_view help;  ///< a sentence
  method_role role = method_role::rival;
  std::string_view paper{};  ///< what the paper's tables call it; empty: they don't
};

/// Whether the options of patcher_config bear on it.
constexpr bool trains_patches(const method_info& info) {
  return info.role == method_role::patcher || info.role == method_role::rule;
}

}  // namespace graphpatcher
