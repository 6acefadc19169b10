// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/autodiff/tape.hpp"

namespace graphpatcher {

/// The tape that all inputs of the function `name` are on. Throws if one is
/// empty or they are on different tapes.
template <class T, class... Rest>
tape<T>& common_tape(const char* name, const variable<T>& first, const Rest&... rest) {
  expects(static_cast<bool>(first) && (static_cast<bool>(rest) && ...), name,
          ": expected variables on a tape, got an empty one");
  expects(((&first.owner() == &rest.owner()) && ...), name,
          ": expected inputs on one tape, got variables of different tapes");
  return first.owner();
}

}  // namespace graphpatcher
