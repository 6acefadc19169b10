// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/level.hpp"

/// Which instruction level the kernels of this program use.
namespace graphpatcher {

#if GRAPHPATCHER_COMPILED

/// "baseline", "v3" or "v4": the highest that the processor has, unless the
/// environment variable GRAPHPATCHER_LEVEL or use_level() names another. Bits of
/// results differ between levels, never within one.
std::string_view level_in_use();

/// The levels that this processor can run, lowest first.
std::vector<std::string_view> levels_available();

/// From now on the program's kernels are those of this level, as with
/// GRAPHPATCHER_LEVEL. Throws argument_error where the processor lacks it. Not
/// while another thread computes.
void use_level(std::string_view name);

#else

namespace detail {

#define GP_TEXT_OF(name) #name
#define GP_NAME_OF(name) GP_TEXT_OF(name)
inline constexpr std::string_view own_level = GP_NAME_OF(GP_LEVEL);
#undef GP_NAME_OF
#undef GP_TEXT_OF

}  // namespace detail

// Without graphpatcher::compiled there is but the level that a file is compiled for.
inline std::string_view level_in_use() {
  return detail::own_level;
}
inline std::vector<std::string_view> levels_available() {
  return {detail::own_level};
}
inline void use_level(std::string_view name) {
  expects(name == detail::own_level, "use_level: this program is compiled for ", detail::own_level, " alone, got '",
          name, "'; link graphpatcher::compiled to choose among levels");
}

#endif

}  // namespace graphpatcher
