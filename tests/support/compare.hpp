// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

/// Whether two results are the same, and how far they are apart.
namespace support {

/// Whether two matrices have the same shape and the same bits.
template <class A, class B>
bool same_bits(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    return false;
  }
  for (std::size_t r = 0; r < a.rows(); ++r) {
    if (a.cols() > 0 && std::memcmp(a.row(r).data(), b.row(r).data(), a.cols() * sizeof(a.row(r)[0])) != 0) {
      return false;
    }
  }
  return true;
}

/// Largest |a - b|; infinity for other shapes or a NaN.
template <class A, class B>
double largest_difference(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    return std::numeric_limits<double>::infinity();
  }
  double largest = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.cols(); ++c) {
      const double difference = std::abs(static_cast<double>(a(r, c)) - static_cast<double>(b(r, c)));
      if (!(difference <= std::numeric_limits<double>::max())) {
        return std::numeric_limits<double>::infinity();
      }
      largest = std::max(largest, difference);
    }
  }
  return largest;
}

}  // namespace support
