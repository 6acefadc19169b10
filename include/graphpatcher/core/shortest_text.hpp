// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string>

namespace graphpatcher {

/// The shortest decimal that names this number, the same in every locale: "0.0005", "0.9", "1e-07"; "n/a" for NaN and
/// infinities.
template <std::floating_point Number>
std::string shortest_text(Number value) {
  if (!std::isfinite(value)) {
    return "n/a";
  }
  const Number size = std::abs(value);
  const bool plain = size == 0 || (size >= Number(1e-6) && size < Number(1e15));
  std::array<char, 64> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       plain ? std::chars_format::fixed : std::chars_format::scientific)
                             .ptr};
}

}  // namespace graphpatcher
