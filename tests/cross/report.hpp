// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <span>

#include "graphpatcher/core/matrix.hpp"

/// What core_program prints, a line a value: compare.py reads it.
///
///   exact NAME integer          the same on every processor
///   close NAME value tolerance  the same to rounding; hexadecimal, so that no bit is lost
namespace cross {

template <class Range>
void print_exact(const char* name, const Range& values) {
  for (const auto value : values) {
    std::printf("exact %s %lld\n", name, static_cast<long long>(value));
  }
}

inline void print_close(const char* name, double value, double tolerance) {
  std::printf("close %s %a %a\n", name, value, tolerance);
}

/// How far two computations of the same sum of products may be apart, whatever
/// their order, with fused multiply-adds or without. A term that goes through
/// `roundings` of them is off by a factor of at most 1 + γ, so each result is off
/// by γ times the same sum of absolute values (Higham, Accuracy and Stability of
/// Numerical Algorithms, 3.1), and two of them by twice that:
///
///   2 γ Σ |terms|,   γ = n u / (1 - n u),   u = epsilon / 2
template <class T>
double rounding(std::size_t roundings, double magnitude) {
  const double nu = static_cast<double>(roundings) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  return 2 * nu / (1 - nu) * magnitude;
}

/// Every element with its bound; `magnitudes` are the sums of absolute values.
template <class T>
void print_close(const char* name, graphpatcher::matrix_view<const T> values,
                 graphpatcher::matrix_view<const T> magnitudes, std::size_t roundings) {
  for (std::size_t r = 0; r < values.rows(); ++r) {
    for (std::size_t c = 0; c < values.cols(); ++c) {
      print_close(name, static_cast<double>(values(r, c)),
                  rounding<T>(roundings, static_cast<double>(magnitudes(r, c))));
    }
  }
}

}  // namespace cross
