// SPDX-License-Identifier: MIT
#pragma once

#include <malloc.h>

#include <cstddef>
#include <fstream>
#include <string>

/// The process's resident memory, as Linux tells it; 0 where it does not.
namespace bench {

namespace detail {

inline std::size_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == key) {
      std::size_t kibibytes = 0;
      status >> kibibytes;
      return 1024 * kibibytes;
    }
  }
  return 0;
}

}  // namespace detail

inline std::size_t resident_bytes() {
  return detail::status_bytes("VmRSS:");
}
/// The most since forget_peak().
inline std::size_t peak_bytes() {
  return detail::status_bytes("VmHWM:");
}

/// Gives freed memory back to the system and counts the peak anew.
inline void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace bench
