// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>

#include "graphpatcher/eval/statistics.hpp"
#include "report/paired_change.hpp"

/// Differences between two methods, paired by seed, with a 95 % interval.
namespace graphpatcher {

/// One number a seed.
using seed_values = std::map<std::uint64_t, double>;

/// Mean of a - b over the seeds that both have. With fewer than two seeds there is no interval: NaN.
struct paired_difference {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();  ///< 95 % interval
  double high = std::numeric_limits<double>::quiet_NaN();
  std::size_t count = 0;  ///< seeds

  /// The whole interval is on one side of zero.
  bool sure() const { return low > 0 || high < 0; }
};

/// mean -+ t s / sqrt(n), with s the sample standard deviation of the n differences.
paired_difference paired(const seed_values& a, const seed_values& b);

/// Mean of several differences and its interval: the variances of the means add
/// up, with the degrees of freedom of Welch and Satterthwaite. One that has no
/// interval leaves the mean without one; count is the fewest seeds of any.
paired_difference mean_of(std::span<const paired_difference> differences);

/// Statistics of the values; mean NaN and count 0 if there are none.
statistics summarise(const seed_values& values);

}  // namespace graphpatcher
