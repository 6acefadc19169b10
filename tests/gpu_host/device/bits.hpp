// SPDX-License-Identifier: MIT
// PTX instructions on bits, comparisons and conversions, for generated code.
#pragma once

#include "arithmetic.hpp"

namespace gpu_host::device {

// ------------------------------------------------------------------------------------------------------------- shifts

template <class T>
inline T shl(T a, u32 count) {
  return count >= bits_of<T> ? T(0) : T(u64(a) << count);
}
template <class T>
inline T shr(T a, u32 count) {
  if (count >= bits_of<T>)
    return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
  return T(a >> count);
}
/// Funnel shifts of high:low; `count` is already wrapped or clamped to 0..32.
inline u32 shf_l(u32 low, u32 high, u32 count) {
  return u32((u64(high) << 32 | low) << count >> 32);
}
inline u32 shf_r(u32 low, u32 high, u32 count) {
  return u32((u64(high) << 32 | low) >> count);
}

// ------------------------------------------------------------------------------------------------------------ counting

template <class T>
inline u32 popc(T a) {
  return u32(__builtin_popcountll(std::make_unsigned_t<T>(a)));
}
template <class T>
inline u32 clz(T a) {
  return a == 0 ? bits_of<T> : u32(__builtin_clzll(std::make_unsigned_t<T>(a))) - (64 - bits_of<T>);
}
template <class T>
inline T brev(T a) {
  T reversed = 0;
  for (unsigned i = 0; i < bits_of<T>; ++i)
    reversed |= T(a >> i & 1) << (bits_of<T> - 1 - i);
  return reversed;
}
/// Position of the highest bit that isn't a sign bit (or how far it is from the top); all ones if there is none.
template <class T>
inline u32 bfind(T a, bool shift_amount) {
  using bits = std::make_unsigned_t<T>;
  const bits value = a < 0 ? bits(~a) : bits(a);
  if (value == 0)
    return ~0u;
  return shift_amount ? clz<bits>(value) : bits_of<T> - 1 - clz<bits>(value);
}

// ---------------------------------------------------------------------------------------------------------- bit fields

template <class T>
inline T bfe(T a, u32 position, u32 length) {
  position &= 255, length &= 255;
  if (length == 0)
    return 0;
  const u32 last = position + length - 1 < bits_of<T> ? position + length - 1 : bits_of<T> - 1;
  const bool fill = std::is_signed_v<T> && (a >> last & 1);
  T field = 0;
  for (u32 i = 0; i < bits_of<T>; ++i) {
    const bool bit = i < length && position + i < bits_of<T> ? a >> (position + i) & 1 : fill;
    field |= T(std::make_unsigned_t<T>(bit) << i);
  }
  return field;
}
template <class T>
inline T bfi(T field, T base, u32 position, u32 length) {
  position &= 255, length &= 255;
  for (u32 i = 0; i < length && position + i < bits_of<T>; ++i) {
    const T bit = T(T(1) << (position + i));
    base = (field >> i & 1) ? T(base | bit) : T(base & ~bit);
  }
  return base;
}
inline u32 bmsk(u32 position, u32 length) {
  return position >= 32 ? 0 : u32((length >= 32 ? ~0ull : (1ull << length) - 1) << position);
}
inline u32 prmt(u32 a, u32 b, u32 selector) {
  const u64 bytes = a | u64(b) << 32;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 pick = selector >> (4 * i) & 15;
    const u8 byte = u8(bytes >> (8 * (pick & 7)));
    result |= u32(pick & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << (8 * i);
  }
  return result;
}
template <unsigned Table>
inline u32 lop3(u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (Table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}
/// Sum of the products of four signed or unsigned bytes.
template <class A, class B>
inline u32 dp4a(u32 a, u32 b, u32 c) {
  using a_byte = std::conditional_t<std::is_signed_v<A>, s8, u8>;
  using b_byte = std::conditional_t<std::is_signed_v<B>, s8, u8>;
  for (int i = 0; i < 4; ++i)
    c += u32(s32(a_byte(a >> (8 * i))) * s32(b_byte(b >> (8 * i))));
  return c;
}

// --------------------------------------------------------------------------------------------------------- comparisons

/// A value that <, == and so on compare as PTX does.
template <class T>
inline auto comparable(T a) {
  if constexpr (is_half<T>)
    return widen(a);
  else
    return a;
}
template <class T>
inline bool unordered(T a, T b) {
  return comparable(a) != comparable(a) || comparable(b) != comparable(b);
}

// --------------------------------------------------------------------------------------------------------- conversions

enum class whole { nearest, zero, down, up };

template <class T>
inline T round_to_whole(T a, whole how) {
  switch (how) {
    case whole::nearest:
      return T(__builtin_rint(a));
    case whole::zero:
      return T(__builtin_trunc(a));
    case whole::down:
      return T(__builtin_floor(a));
    default:
      return T(__builtin_ceil(a));
  }
}
/// Floats outside the range of the integer become its limits, NaN becomes 0.
template <class To, class From>
inline To to_integer(From value, whole how) {
  const From rounded = round_to_whole(value, how);
  if (rounded != rounded)
    return 0;
  if (rounded <= From(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (rounded >= From(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return To(rounded);
}

}  // namespace gpu_host::device
