// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <limits>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/lanes.hpp"
#include "graphpatcher/cpu/simd.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// log(x) for x > 0, as exponential() is made: the same bits in every lane of vectors of any width.
///
///   x = 2^n (1 + f),  1 + f from √½ to √2,  s = f / (2 + f)
///   log(1 + f) = 2 artanh(s) = f - (f²/2 - s (f²/2 + R)),  R = Σ_{k>0} 2 s^2k / (2k + 1)
///
/// Within 0.85 ulp over 2^22 numbers, 0.75 with fused multiply-adds; a test looks at 2^20.
template <simd_vector Vector>
[[gnu::always_inline]] inline Vector positive_logarithm(const Vector& x) {
  using parts = power_parts<Vector>;
  using T = lane_type<Vector>;
  using bits = bits_of<T>;
  constexpr T root_half = T(0.70710678118654752440);
  constexpr bits lift = parts::fraction + 2;  // makes a normal number of a subnormal one
  constexpr std::size_t terms = parts::single ? 4 : 10;

  const auto subnormal = x < std::numeric_limits<T>::min();
  const Vector normal = subnormal ? x * static_cast<T>(bits{1} << lift) : x;
  const auto pattern = std::bit_cast<lane_bits<Vector>>(normal);
  const auto n = (pattern + ((parts::bias << parts::fraction) - std::bit_cast<bits>(root_half))) >> parts::fraction;
  const Vector f = std::bit_cast<Vector>(pattern - ((n - parts::bias) << parts::fraction)) - T(1);
  const Vector whole = std::bit_cast<Vector>(n + (std::bit_cast<bits>(parts::round) - parts::bias)) - parts::round;
  const Vector exponent = subnormal ? whole - static_cast<T>(lift) : whole;

  const Vector s = f / (f + T(2));
  const Vector square = s * s;
  Vector sum = filled<Vector>(T(2) / static_cast<T>(2 * terms + 1));
  unrolled<terms - 1>([&](auto k) { sum = sum * square + T(2) / static_cast<T>(2 * (terms - k) - 1); });
  const Vector half = T(0.5) * f * f;
  const Vector low = s * (half + sum * square) + exponent * parts::log2_low;
  return exponent * parts::log2_high - ((half - low) - f);
}

/// log(x) for any x: of 0 it is -infinity, of negative numbers NaN.
template <simd_vector Vector>
[[gnu::always_inline]] inline Vector logarithm(const Vector& x) {
  using T = lane_type<Vector>;
  using limits = std::numeric_limits<T>;
  const Vector odd = x == T(0) ? filled<Vector>(-limits::infinity()) : filled<Vector>(limits::quiet_NaN());
  return x > T(0) ? (x < limits::infinity() ? positive_logarithm(x) : x) : odd;
}
template <std::floating_point T>
inline T logarithm(T x) {
  return detail::in_a_lane(x, [](const auto& lanes) { return logarithm(lanes); });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
