// SPDX-License-Identifier: MIT
// PTX arithmetic: what the instructions do to register values. Generated code includes this, so it stays light.
// Rounding to nearest is the host's; .ftz isn't modelled and .approx is as exact as the host's mathematics library.
#pragma once

#include <cstring>
#include <limits>
#include <type_traits>

#include "half.hpp"

namespace gpu_host::device {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using b8 = u8;
using b16 = u16;
using b32 = u32;
using b64 = u64;
using f32 = float;
using f64 = double;
__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;

template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T>;
template <class T>
inline constexpr unsigned bits_of = sizeof(T) * 8;

// ------------------------------------------------------------------------------- registers: 16, 32 or 64 bits of
// anything

template <class T, class Register>
[[gnu::always_inline]] inline T as(Register bits) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits);
  else {
    T value;
    static_assert(sizeof(T) <= sizeof(Register));
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
}
/// Signed values are sign-extended to the register's width, all others are padded with zeros.
template <class Register, class T>
[[gnu::always_inline]] inline void set(Register& target, T value) {
  if constexpr (std::is_integral_v<T>)
    target = static_cast<Register>(value);
  else {
    target = 0;
    static_assert(sizeof(T) <= sizeof(Register));
    std::memcpy(&target, &value, sizeof(T));
  }
}

// ----------------------------------------------------------------------------------------------- add, multiply, divide

template <class T>
inline T add(T a, T b) {
  if constexpr (is_half<T> || is_pair<T>)
    return map_half([](double x, double y) { return x + y; }, a, b);
  else if constexpr (is_float<T>)
    return a + b;
  else
    return T(u64(a) + u64(b));
}
template <class T>
inline T sub(T a, T b) {
  if constexpr (is_half<T> || is_pair<T>)
    return map_half([](double x, double y) { return x - y; }, a, b);
  else if constexpr (is_float<T>)
    return a - b;
  else
    return T(u64(a) - u64(b));
}
template <class T>
inline T mul(T a, T b) {
  if constexpr (is_half<T> || is_pair<T>)
    return map_half([](double x, double y) { return x * y; }, a, b);
  else if constexpr (is_float<T>)
    return a * b;
  else
    return T(u64(a) * u64(b));
}
template <class T>
inline T fma(T a, T b, T c) {
  if constexpr (is_half<T> || is_pair<T>)
    return map_half([](double x, double y, double z) { return add_to_odd(x * y, z); }, a, b, c);
  else if constexpr (sizeof(T) == 4)
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
}
template <class T>
inline T mul_hi(T a, T b) {
  using wide = std::conditional_t<std::is_signed_v<T>, s128, u128>;
  return T(wide(a) * wide(b) >> bits_of<T>);
}
template <class T>
inline auto mul_wide(T a, T b) {
  using half = std::conditional_t<std::is_signed_v<T>, s32, u32>;
  using wide = std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, s64, u64>, half>;
  return wide(wide(a) * wide(b));
}
/// The low 32 bits of the product of the low 24 bits.
template <class T>
inline T mul24(T a, T b) {
  const auto low24 = [](T value) { return T(u32(value) << 8) >> 8; };
  return mul<T>(low24(a), low24(b));
}
template <class T>
inline T div(T a, T b) {
  if constexpr (is_float<T>)
    return a / b;
  else {
    if (b == 0)
      return T(-1);  // undefined in PTX; what the hardware gives
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return sub<T>(0, a);
    return a / b;
  }
}
template <class T>
inline T rem(T a, T b) {
  if (b == 0)
    return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return 0;
  return a % b;
}
template <class T>
inline T neg(T a) {
  if constexpr (is_pair<T>)
    return {neg(a.low), neg(a.high)};
  else if constexpr (is_half<T>)
    return {u16(a.bits ^ 0x8000)};
  else if constexpr (is_float<T>)
    return -a;
  else
    return sub<T>(0, a);
}
template <class T>
inline T abs(T a) {
  if constexpr (is_pair<T>)
    return {abs(a.low), abs(a.high)};
  else if constexpr (is_half<T>)
    return {u16(a.bits & 0x7fff)};
  else if constexpr (is_float<T>)
    return T(__builtin_fabs(a));
  else
    return a < 0 ? sub<T>(0, a) : a;
}
template <class T>
inline T sad(T a, T b, T c) {
  return add<T>(c, a > b ? sub<T>(a, b) : sub<T>(b, a));
}
/// Minimum and maximum return the operand that is a number, and order -0 below +0.
template <class T>
inline T min(T a, T b) {
  if constexpr (is_half<T> || is_pair<T>)
    return map_half([](double x, double y) { return min<double>(x, y); }, a, b);
  else if constexpr (is_float<T>)
    return a != a ? b : b != b ? a : a == b ? (__builtin_signbit(a) ? a : b) : a < b ? a : b;
  else
    return a < b ? a : b;
}
template <class T>
inline T max(T a, T b) {
  if constexpr (is_half<T> || is_pair<T>)
    return map_half([](double x, double y) { return max<double>(x, y); }, a, b);
  else if constexpr (is_float<T>)
    return a != a ? b : b != b ? a : a == b ? (__builtin_signbit(a) ? b : a) : a < b ? b : a;
  else
    return a < b ? b : a;
}
/// The .NaN variants: a NaN wins.
template <class T>
inline T min_nan(T a, T b) {
  if constexpr (is_float<T>)
    return a != a ? a : b != b ? b : min<T>(a, b);
  else
    return map_half([](double x, double y) { return min_nan<double>(x, y); }, a, b);
}
template <class T>
inline T max_nan(T a, T b) {
  if constexpr (is_float<T>)
    return a != a ? a : b != b ? b : max<T>(a, b);
  else
    return map_half([](double x, double y) { return max_nan<double>(x, y); }, a, b);
}
/// .sat: floats to [0, 1], with NaN to 0.
template <class T>
inline T saturate(T a) {
  return a > 0 ? (a < 1 ? a : T(1)) : T(0);
}
template <class To>
inline To clamp_to(s128 value) {
  constexpr s128 low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  return To(value < low ? low : value > high ? high : value);
}

// The directed roundings: .rz, .rm and .rp (rounding.cpp).
enum class rounding { towards_zero, down, up };
enum class operation { add, sub, mul, fma, div, sqrt, rcp };
f32 rounded(rounding, operation, f32 a, f32 b = 0, f32 c = 0);
f64 rounded(rounding, operation, f64 a, f64 b = 0, f64 c = 0);
/// Any number to f32; a 64-bit integer fits a long double.
f32 rounded_to_f32(rounding, long double);
f64 rounded_to_f64(rounding, long double);

}  // namespace gpu_host::device
