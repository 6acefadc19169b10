// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

/// Whether two results are the same, and how far they are apart.
namespace support {

/// Whether two matrices have the same shape and the same bits; the second may be written as a list of rows.
template <class A, class B = A>
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

/// Whether two matrices have the same shape and equal numbers: 0 is -0, too.
template <class A, class B = A>
bool same_values(const A& a, const B& b) {
  bool same = a.rows() == b.rows() && a.cols() == b.cols();
  for (std::size_t r = 0; same && r < a.rows(); ++r) {
    same = std::equal(a.row(r).begin(), a.row(r).end(), b.row(r).begin());
  }
  return same;
}

/// Largest |a - b|; infinity for other shapes or a NaN.
template <class A, class B = A>
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
