// SPDX-License-Identifier: MIT
#pragma once

/// What adjoints are compared with.
namespace support {

/// Slope of f() at the number x that it reads, by central differences.
template <class F>
double slope(double& x, F&& f) {
  constexpr double step = 1e-5;
  const double at = x;
  x = at + step;
  const double above = f();
  x = at - step;
  const double below = f();
  x = at;
  return (above - below) / (2 * step);
}

/// How far such a slope may be off where f has the size of 10 and third derivatives of 10: 1e-15 / 1e-5 from rounding,
/// 1e-10 from the step, and a factor of ten for sums.
inline constexpr double slope_margin = 1e-8;

}  // namespace support
