// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/eval/statistics.hpp"

/// Whether what changed is more than seeds differ anyway: reports have colour only there.
namespace graphpatcher {

/// P(|T| < t) of Student's t distribution: a finite sum for whole degrees of
/// freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4), with angle = atan(t / sqrt(freedom)).
inline double student_t_inside(double t, std::size_t freedom) {
  expects<argument_error>(freedom > 0, "student_t_inside: expected at least one degree of freedom, got none");
  const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const bool odd = freedom % 2 == 1;
  double term = odd ? cosine : 1.0;
  double sum = freedom == 1 ? 0.0 : term;
  for (std::size_t k = odd ? 3 : 2; k + 2 <= freedom; k += 2) {
    term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

/// The t with P(|T| < t) = 0.95: 12.706 for 1 degree of freedom, 2.262 for 9, 1.960 for many.
inline double student_t_95(std::size_t freedom) {
  double low = 1.9, high = 13;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (student_t_inside(middle, freedom) < 0.95 ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Mean of differences that are paired by seed.
struct paired_change {
  double mean = 0;
  bool sure = false;  ///< the 95 % interval, mean -+ t s / sqrt(n), leaves out zero; one seed has no interval
};

inline paired_change change_of(const std::vector<double>& differences) {
  const auto [mean, deviation, count] = summarise(differences);
  const double half = count < 2 ? 0 : student_t_95(count - 1) * deviation / std::sqrt(static_cast<double>(count));
  return {mean, count > 1 && (mean > half || mean < -half)};
}

}  // namespace graphpatcher
