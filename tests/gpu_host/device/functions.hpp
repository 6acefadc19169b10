// SPDX-License-Identifier: MIT
// PTX's mathematical functions, and addition with carry, for generated code.
#pragma once

#include "arithmetic.hpp"

namespace gpu_host::device {

/// A function of the host's library in the precision of the operand; halves are computed in double and rounded.
template <class T, class InFloat, class InDouble>
inline T in_precision(T a, InFloat in_float, InDouble in_double) {
  if constexpr (is_half<T> || is_pair<T>)
    return map_half(in_double, a);
  else if constexpr (sizeof(T) == 4)
    return in_float(a);
  else
    return in_double(a);
}
template <class T>
inline T sqrt(T a) {
  return in_precision(
      a, [](f32 x) { return __builtin_sqrtf(x); }, [](f64 x) { return __builtin_sqrt(x); });
}
template <class T>
inline T rcp(T a) {
  return T(1) / a;
}
template <class T>
inline T rsqrt(T a) {
  return T(1.0 / __builtin_sqrt(double(a)));
}
template <class T>
inline T ex2(T a) {
  return in_precision(
      a, [](f32 x) { return __builtin_exp2f(x); }, [](f64 x) { return __builtin_exp2(x); });
}
template <class T>
inline T lg2(T a) {
  return in_precision(
      a, [](f32 x) { return __builtin_log2f(x); }, [](f64 x) { return __builtin_log2(x); });
}
template <class T>
inline T sin(T a) {
  return in_precision(
      a, [](f32 x) { return __builtin_sinf(x); }, [](f64 x) { return __builtin_sin(x); });
}
template <class T>
inline T cos(T a) {
  return in_precision(
      a, [](f32 x) { return __builtin_cosf(x); }, [](f64 x) { return __builtin_cos(x); });
}
template <class T>
inline T tanh(T a) {
  return in_precision(
      a, [](f32 x) { return __builtin_tanhf(x); }, [](f64 x) { return __builtin_tanh(x); });
}
template <class T>
inline T copysign(T sign, T size) {
  return T(__builtin_copysign(size, sign));
}

template <class T>
inline T add_carry(T a, T b, bool carry_in, bool& carry_out) {
  const auto sum = u128(a) + b + carry_in;
  carry_out = sum >> bits_of<T> & 1;
  return T(sum);
}
template <class T>
inline T sub_borrow(T a, T b, bool borrow_in, bool& borrow_out) {
  const auto difference = u128(a) - b - borrow_in;
  borrow_out = difference >> bits_of<T> & 1;
  return T(difference);
}

}  // namespace gpu_host::device
