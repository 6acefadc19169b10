// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/simd.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// exp(x) for x <= 0, to about 1 ulp, in plain arithmetic: no call, so that several are under way at once.
///
///   x = n ln 2 + r,  |r| <= ln 2 / 2,   exp(x) = 2^n Σ r^k / k!
///
/// Where 2^n is below the smallest normal number the result is 0. NaN stays NaN.
template <class T>
inline T exponential(T x) {
  static_assert(std::numeric_limits<T>::is_iec559);
  using bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  constexpr bool single = sizeof(T) == sizeof(std::uint32_t);
  constexpr int fraction = std::numeric_limits<T>::digits - 1;
  constexpr bits bias = std::numeric_limits<T>::max_exponent - 1;
  constexpr T lowest = single ? T(-88) : T(-709);  // here the exponent of 2^n is all zeros: 2^n counts as 0
  constexpr T log2_high = single ? T(0.693359375) : T(0.693147180369123816490);  // few bits: n times it is exact
  constexpr T log2_low = single ? T(-2.12194440054690583e-4) : T(1.90821492927058770002e-10);
  constexpr T round = T(3) * static_cast<T>(bits{1} << (fraction - 1));  // rounds what is added to an integer
  constexpr std::size_t terms = single ? 7 : 13;  // r^(terms + 1) / (terms + 1)! is below a tenth of an ulp

  const T y = x < lowest ? lowest : x;
  const T shifted = y * T(1.44269504088896340736) + round;
  const T n = shifted - round;
  const T r = (y - n * log2_high) - n * log2_low;
  T sum = 1;
  unrolled<terms>([&](auto k) { sum = T(1) + sum * r * (T(1) / static_cast<T>(terms - k)); });
  const bits power = (std::bit_cast<bits>(shifted) + bias) << fraction;  // 2^n: the low bits of `shifted` are n
  return sum * std::bit_cast<T>(power);
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
