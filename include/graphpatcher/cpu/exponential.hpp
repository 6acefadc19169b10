// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <limits>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/lanes.hpp"
#include "graphpatcher/cpu/simd.hpp"

/// exp in plain arithmetic on the compiler's vectors: no call, no branch, the same bits in every lane of vectors of any
/// width. A scalar is computed as a lane. What is fused is said (add_product), so that it is in every file.
namespace graphpatcher::backend::inline GP_LEVEL {

/// The parts of a number x = n ln 2 + r, n an integer and |r| <= ln 2 / 2.
template <class Vector>
struct power_parts {
  using T = lane_type<Vector>;
  using bits = bits_of<T>;
  static_assert(std::numeric_limits<T>::is_iec559);
  static constexpr bool single = sizeof(T) == sizeof(float);
  static constexpr int fraction = std::numeric_limits<T>::digits - 1;
  static constexpr bits bias = std::numeric_limits<T>::max_exponent - 1;
  static constexpr T log2_high = single ? T(0.693359375) : T(0.693147180369123816490);  // few bits: n times it is exact
  static constexpr T log2_low = single ? T(-2.12194440054690583e-4) : T(1.90821492927058770002e-10);
  static constexpr T round =
      T(3) * static_cast<T>(bits{1} << (fraction - 1));  // the sum has an integer in its low bits

  lane_bits<Vector> n;  ///< modulo 2^32 or 2^64
  Vector r;

  explicit power_parts(const Vector& x) {
    Vector shifted = filled<Vector>(round);
    add_product(T(1.44269504088896340736), x, shifted);
    const Vector whole = shifted - round;
    r = x;
    add_product(-log2_high, whole, r);
    add_product(-log2_low, whole, r);
    n = std::bit_cast<lane_bits<Vector>>(shifted) - std::bit_cast<bits>(round);
  }

  /// 2^(exponent - bias), for an exponent of a normal number.
  static Vector power(const lane_bits<Vector>& exponent) { return std::bit_cast<Vector>(exponent << fraction); }
};

namespace detail {

/// Σ_k factors[k] x^k. Calls itself instead of a loop over a lambda: GCC 12 leaves those out of line in large files,
/// and vectors go through memory then.
template <std::size_t First = 0, class T, std::size_t Count, class Vector>
[[gnu::always_inline]] inline Vector polynomial(const std::array<T, Count>& factors, const Vector& x) {
  if constexpr (First + 1 == Count) {
    return filled<Vector>(factors[First]);
  } else {
    Vector sum = filled<Vector>(factors[First]);
    add_product(polynomial<First + 1>(factors, x), x, sum);
    return sum;
  }
}

/// 1 / (First + k)! for k = 0 ... Last - First.
template <class T, std::size_t First, std::size_t Last>
inline constexpr auto inverse_factorials = [] {
  std::array<T, Last - First + 1> result{};
  double product = 1;
  for (std::size_t k = 1; k <= Last; ++k) {
    product *= static_cast<double>(k);
    if (k >= First) {
      result[k - First] = static_cast<T>(1 / product);
    }
  }
  if constexpr (First == 0) {
    result[0] = 1;
  }
  return result;
}();

/// Σ_k r^k / (k + First)! up to First + k = Last.
template <std::size_t First, std::size_t Last, class Vector>
[[gnu::always_inline]] inline Vector exponential_series(const Vector& r) {
  return polynomial(inverse_factorials<lane_type<Vector>, First, Last>, r);
}

/// Calls f on a vector that has x in its first lane.
template <class T, class Function>
inline T in_a_lane(T x, const Function& f) {
  return f(filled<typename vector_of<T, 16 / sizeof(T)>::type>(x))[0];
}

}  // namespace detail

/// exp(x) for any x, exp(x) = 2^n Σ r^k / k!. Infinities, NaN and results that are subnormal are as they should be.
/// Within 1.20 ulp over 2^22 numbers, 0.93 with fused multiply-adds; a test looks at 2^20.
template <simd_vector Vector>
[[gnu::always_inline]] inline Vector exponential(const Vector& x) {
  using parts = power_parts<Vector>;
  using T = lane_type<Vector>;
  constexpr T lowest = parts::single ? T(-104) : T(-746);  // beyond these the result is 0 or infinite
  constexpr T highest = parts::single ? T(89) : T(710);
  constexpr std::size_t last = parts::single ? 7 : 13;  // what follows is below a tenth of an ulp
  // a power that underflows takes a hundred cycles: -infinity, which fills up short rows, must not come that far
  const auto vanishes = x < lowest;
  const Vector above = vanishes ? Vector{} : x;
  const parts x_parts(above > highest ? filled<Vector>(highest) : above);
  const Vector sum = detail::exponential_series<0, last>(x_parts.r);
  // 2^n may be no normal number: it is applied in two halves
  const auto both = x_parts.n + 2 * parts::bias;
  const auto half = both >> 1;
  const Vector result = sum * parts::power(half) * parts::power(both - half);
  return vanishes ? Vector{} : result;
}
template <std::floating_point T>
inline T exponential(T x) {
  return detail::in_a_lane(x, [](const auto& lanes) { return exponential(lanes); });
}

/// The same bits for numbers whose exponential is a normal number (of floats those up to 80 on either side of 0), in
/// two thirds of the operations. Of others it is not what it says.
template <simd_vector Vector>
[[gnu::always_inline]] inline Vector normal_exponential(const Vector& x) {
  using parts = power_parts<Vector>;
  constexpr std::size_t last = parts::single ? 7 : 13;
  const parts x_parts(x);
  return detail::exponential_series<0, last>(x_parts.r) * parts::power(x_parts.n + parts::bias);
}

/// exp(x) - 1 for x <= 0, exact also near 0:  2^n (Σ_{k>0} r^k / k!) + (2^n - 1). Of -0 it is 0; for x > 0 it is not
/// what it says. Measured: within 1.13 ulp.
template <simd_vector Vector>
[[gnu::always_inline]] inline Vector exponential_less_one(const Vector& x) {
  using parts = power_parts<Vector>;
  using T = lane_type<Vector>;
  constexpr T lowest = parts::single ? T(-20) : T(-40);  // from here on it is -1
  constexpr std::size_t last = parts::single ? 8 : 14;
  const parts x_parts(x < lowest ? filled<Vector>(lowest) : x);
  const Vector& r = x_parts.r;
  Vector sum = r;
  add_product(Vector(r * r), detail::exponential_series<2, last>(r), sum);
  const Vector power = parts::power(x_parts.n + parts::bias);
  Vector result = power - T(1);
  add_product(power, sum, result);
  return result;
}
template <std::floating_point T>
inline T exponential_less_one(T x) {
  return detail::in_a_lane(x, [](const auto& lanes) { return exponential_less_one(lanes); });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
