// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#if __has_include(<sys/resource.h>)
#include <sys/resource.h>
#endif

namespace graphpatcher {

/// Largest resident memory of this process so far, in mebibytes; NaN on a
/// system that does not tell. It never falls: in a process with several runs
/// the value of a run includes those before it.
inline double peak_rss_mb() noexcept {
#if __has_include(<sys/resource.h>)
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
#ifdef __APPLE__
    constexpr double units_per_mb = 1024.0 * 1024.0;  // bytes
#else
    constexpr double units_per_mb = 1024.0;  // kibibytes
#endif
    return static_cast<double>(usage.ru_maxrss) / units_per_mb;
  }
#endif
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace graphpatcher
