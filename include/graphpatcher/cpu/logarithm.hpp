// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <limits>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/lanes.hpp"
#include "graphpatcher/cpu/simd.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

namespace detail {

/// Adds log(1 + f) - f + f²/2, for 1 + f from √½ to √2.
///
///   float:   f³ P(f), P the polynomial of degree 7 whose largest relative error in log(1 + f) is least
///            (by Remez' exchange: 5.8e-9, a tenth of an ulp). No division: it would take as long as all the rest
///   double:  s (f²/2 + R),  s = f / (2 + f),  R = Σ_{k>0} 2 s^2k / (2k + 1),  as log(1 + f) = 2 artanh(s)
template <class Vector>
[[gnu::always_inline]] inline void add_logarithm_tail(const Vector& f, const Vector& square, Vector& sum) {
  using T = lane_type<Vector>;
  if constexpr (sizeof(T) == sizeof(float)) {
    constexpr std::array<T, 8> factors{T(0.333333317079), T(-0.250008210318), T(0.200012268641), T(-0.166233574118),
                                       T(0.142017582779), T(-0.13160182112),  T(0.127615751869), T(-0.0763449489046)};
    add_product(Vector(f * square), polynomial(factors, f), sum);
  } else {
    constexpr std::array<T, 10> factors{T(2) / 3,  T(2) / 5,  T(2) / 7,  T(2) / 9,  T(2) / 11,
                                        T(2) / 13, T(2) / 15, T(2) / 17, T(2) / 19, T(2) / 21};
    const Vector s = f / (f + T(2));
    const Vector s_square = s * s;
    Vector inner = polynomial(factors, s_square) * s_square;
    add_product(T(0.5), square, inner);
    add_product(s, inner, sum);
  }
}

}  // namespace detail

/// log(x) for normal x > 0, as exponential() is made: the same bits in every lane of vectors of any width.
///
///   x = 2^n (1 + f),  log(x) = n ln 2 + f - f²/2 + what detail::add_logarithm_tail() adds
///
/// Within 0.92 ulp over 2^22 numbers; a test looks at 2^20.
template <simd_vector Vector>
[[gnu::always_inline]] inline Vector normal_logarithm(const Vector& x, const Vector& more = Vector{}) {
  using parts = power_parts<Vector>;
  using T = lane_type<Vector>;
  using bits = bits_of<T>;
  constexpr T root_half = T(0.70710678118654752440);

  const auto pattern = std::bit_cast<lane_bits<Vector>>(x);
  const auto n = (pattern + ((parts::bias << parts::fraction) - std::bit_cast<bits>(root_half))) >> parts::fraction;
  const Vector f = std::bit_cast<Vector>(pattern - ((n - parts::bias) << parts::fraction)) - T(1);
  const Vector whole = std::bit_cast<Vector>(n + (std::bit_cast<bits>(parts::round) - parts::bias)) - parts::round;
  const Vector exponent = whole + more;

  const Vector square = f * f;
  Vector low = T(-0.5) * square;
  add_product(T(parts::log2_low), exponent, low);
  detail::add_logarithm_tail(f, square, low);
  Vector result = f + low;
  add_product(T(parts::log2_high), exponent, result);
  return result;
}

/// log(x) for x > 0, subnormal numbers among them.
template <simd_vector Vector>
[[gnu::always_inline]] inline Vector positive_logarithm(const Vector& x) {
  using T = lane_type<Vector>;
  constexpr int lift = std::numeric_limits<T>::digits + 1;
  const auto subnormal = x < std::numeric_limits<T>::min();
  const Vector normal = subnormal ? x * static_cast<T>(bits_of<T>{1} << lift) : x;
  return normal_logarithm<Vector>(normal, subnormal ? filled<Vector>(-T(lift)) : Vector{});
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
