// SPDX-License-Identifier: MIT
// IEEE half and bfloat16, and pairs of them, as bits in PTX registers. Arithmetic is done in double and rounded once.
#pragma once

#include <cstdint>

namespace gpu_host::device {

struct f16 {
  static constexpr int mantissa_bits = 10, exponent_bits = 5;
  std::uint16_t bits;
};
struct bf16 {
  static constexpr int mantissa_bits = 7, exponent_bits = 8;
  std::uint16_t bits;
};
template <class Half>
struct pair_of {
  Half low, high;
};
using f16x2 = pair_of<f16>;
using bf16x2 = pair_of<bf16>;

template <class T>
inline constexpr bool is_half = false;
template <>
inline constexpr bool is_half<f16> = true;
template <>
inline constexpr bool is_half<bf16> = true;
template <class T>
inline constexpr bool is_pair = false;
template <class Half>
inline constexpr bool is_pair<pair_of<Half>> = true;

/// Every half is a double.
template <class Half>
double widen(Half value) {
  constexpr int mantissa_bits = Half::mantissa_bits, top_exponent = (1 << Half::exponent_bits) - 1;
  const std::uint64_t sign = std::uint64_t(value.bits >> 15) << 63;
  const int exponent = value.bits >> mantissa_bits & top_exponent;
  const std::uint64_t mantissa = value.bits & ((1u << mantissa_bits) - 1);
  if (exponent == 0) {  // zero and subnormal: mantissa * 2^(1 - bias - mantissa_bits)
    const double size = __builtin_ldexp(double(mantissa), 1 - top_exponent / 2 - mantissa_bits);
    return sign ? -size : size;
  }
  const std::uint64_t wide_exponent = exponent == top_exponent ? 2047 : exponent - top_exponent / 2 + 1023;
  return __builtin_bit_cast(double, sign | wide_exponent << 52 | mantissa << (52 - mantissa_bits));
}

/// Rounds to nearest, ties to even (or towards zero), once.
template <class Half>
Half narrow(double value, bool towards_zero = false) {
  constexpr int mantissa_bits = Half::mantissa_bits, bias = (1 << (Half::exponent_bits - 1)) - 1;
  constexpr unsigned infinity = ((1u << Half::exponent_bits) - 1) << mantissa_bits;
  const unsigned sign = __builtin_signbit(value) ? 0x8000 : 0;
  if (value != value)
    return Half{0x7fff};  // the one NaN that the hardware makes
  const double size = __builtin_fabs(value);
  if (size > 1e300)
    return Half{std::uint16_t(sign | infinity)};
  int exponent = 0;
  __builtin_frexp(size, &exponent);  // size = [0.5, 1) * 2^exponent
  const int lowest = 1 - bias;       // exponent of the smallest normal number
  const int scale = mantissa_bits - (exponent - 1 > lowest ? exponent - 1 : lowest);
  const double steps = __builtin_ldexp(size, scale);  // in units of the last place
  const double whole = towards_zero ? __builtin_floor(steps) : __builtin_rint(steps);
  const double rounded = __builtin_ldexp(whole, -scale);
  if (rounded >= __builtin_ldexp(1, bias + 1))
    return Half{std::uint16_t(sign | (towards_zero ? infinity - 1 : infinity))};
  if (rounded < __builtin_ldexp(1, lowest))
    return Half{std::uint16_t(sign | unsigned(whole))};
  __builtin_frexp(rounded, &exponent);
  const unsigned mantissa =
      unsigned(__builtin_ldexp(rounded, mantissa_bits - (exponent - 1))) & ((1u << mantissa_bits) - 1);
  return Half{std::uint16_t(sign | unsigned(exponent - 1 + bias) << mantissa_bits | mantissa)};
}

/// a + b rounded to odd: rounding the result again, to far fewer bits, then gives what one rounding would.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!__builtin_isfinite(sum))
    return sum;
  const double b_part = sum - a, lost = (a - (sum - b_part)) + (b - b_part);
  const auto bits = __builtin_bit_cast(std::uint64_t, sum);
  if (lost == 0 || (bits & 1))
    return sum;
  return __builtin_bit_cast(double, (lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// A function of doubles on halves, or on both halves of a pair.
template <class T, class F, class... More>
T map_half(F function, T first, More... more) {
  if constexpr (is_pair<T>)
    return {map_half(function, first.low, more.low...), map_half(function, first.high, more.high...)};
  else
    return narrow<T>(function(widen(first), widen(more)...));
}

}  // namespace gpu_host::device
