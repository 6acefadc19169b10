// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "graphpatcher/core/matrix.hpp"
#include "workload.hpp"

namespace bench {

/// Largest difference of two matrices of one shape; infinite where a number is not finite.
inline double max_difference(graphpatcher::matrix_view<const float> got, graphpatcher::matrix_view<const float> want) {
  double largest = 0;
  for (std::size_t r = 0; r < got.rows(); ++r) {
    for (std::size_t c = 0; c < got.cols(); ++c) {
      const double difference = std::abs(static_cast<double>(got(r, c)) - static_cast<double>(want(r, c)));
      largest = std::isfinite(difference) ? std::max(largest, difference) : std::numeric_limits<double>::infinity();
    }
  }
  return largest;
}

/// Throws wrong_result where a difference is above the tolerance. Sums of n terms of magnitude at most m, added up in
/// any order in single precision, differ by at most 2 n · n · m · 2^-24 (rounding_of).
inline void expects_close(double difference, double tolerance, const std::string& what) {
  if (!(difference <= tolerance)) {
    throw wrong_result{what + ": expected at most " + std::to_string(tolerance) + " from the reference, got " +
                       std::to_string(difference)};
  }
}
inline void expects_close(graphpatcher::matrix_view<const float> got, graphpatcher::matrix_view<const float> want,
                          double tolerance, const std::string& what) {
  expects_close(max_difference(got, want), tolerance, what);
}

/// How far a sum of `terms` numbers of size at most `magnitude` may be off: each partial sum is at most
/// terms · magnitude and is rounded once.
inline double rounding_of(std::size_t terms, double magnitude = 1) {
  const auto n = static_cast<double>(terms);
  return 2 * n * n * magnitude * 0x1.0p-24 + 1e-7;
}

}  // namespace bench
