// SPDX-License-Identifier: MIT
// Numbers as people read them.
#pragma once

#include <cstdio>
#include <string>

namespace gpu_cost {

inline std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// 0.8512 is "85.1 %".
inline std::string percent(double share) {
  return fixed(100 * share, 1) + " %";
}

/// Three significant digits from 0.1 on, thousandths below.
inline std::string three_digits(double value) {
  const int digits = value == 0 || value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return fixed(value, digits);
}

}  // namespace gpu_cost
