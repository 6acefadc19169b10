// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>

#include "graphpatcher/core/shortest_text.hpp"

namespace graphpatcher {

/// Numbers as text for tables and plots: the same in every locale, "n/a" for
/// NaN and infinities, and never a "-0.00".
inline std::string fixed_text(double value, int digits) {
  if (!std::isfinite(value)) {
    return "n/a";
  }
  std::array<char, 352> buffer;  // 309 digits of the largest double, a sign, a point and up to 40 decimals
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed,
                                 digits < 0    ? 0
                                 : digits > 40 ? 40
                                               : digits);
  std::string result(buffer.data(), end.ptr);
  if (result.front() == '-' && result.find_first_of("123456789") == std::string::npos) {
    result.erase(0, 1);
  }
  return result;
}

/// A difference: "+1.80", "-0.30", "0.00".
inline std::string signed_text(double value, int digits) {
  std::string result = fixed_text(value, digits);
  const bool positive = value > 0 && result.find_first_of("123456789") != std::string::npos;
  return positive ? "+" + result : result;
}

/// "80.52", or "80.52 ± 0.31" where there are several runs.
inline std::string spread_text(double mean, double deviation, std::size_t runs, int digits) {
  return runs > 1 ? fixed_text(mean, digits) + " ± " + fixed_text(deviation, digits) : fixed_text(mean, digits);
}

}  // namespace graphpatcher
