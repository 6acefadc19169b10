// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace graphpatcher {

// Numbers of 16 bits, for tables that are read often and summed in float. They
// are storage only: no arithmetic. A float is rounded to the nearest one, ties
// to even; what is too large becomes an infinity.

/// IEEE binary16: 11 significant bits, largest number 65504.
struct float16 {
  std::uint16_t bits = 0;
};

/// The upper half of a float: 8 significant bits, the range of a float.
struct bfloat16 {
  std::uint16_t bits = 0;
};

constexpr float to_float(bfloat16 value) noexcept {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

/// Without a branch, and every step of it always done, so that a loop over many becomes vectors.
constexpr float to_float(float16 value) noexcept {
  const std::uint32_t sign = std::uint32_t{value.bits & 0x8000u} << 16;
  const std::uint32_t magnitude = value.bits & 0x7FFFu;
  const std::uint32_t rebias = magnitude >= 0x7C00u ? 0x70000000u : 0x38000000u;  // by 112, or to 255
  // Zero and subnormals get the exponent of 2^-14 with the 1 that they don't have, which is taken off again.
  const std::uint32_t lowest = magnitude < 0x0400u ? 0x38800000u : 0u;
  const std::uint32_t implied = magnitude < 0x0400u ? 0x00800000u : 0u;
  const float size = std::bit_cast<float>((magnitude << 13) + rebias + implied) - std::bit_cast<float>(lowest);
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(size));
}

constexpr bfloat16 to_bfloat16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
    return {0x7FFF};  // NaN
  }
  return {static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

constexpr float16 to_float16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) {
    return {0x7FFF};  // NaN
  }
  std::uint32_t half = 0x7C00u;  // infinity
  if (magnitude < 0x38800000u) {
    // Below 2^-14. Adding 1/2 leaves a multiple of 2^-24 in the low bits, rounded as every float sum is.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;
  } else if (magnitude < 0x47800000u) {  // below 2^16; rounding up may still carry into an infinity
    half = (magnitude - 0x38000000u + 0x0FFFu + ((magnitude >> 13) & 1u)) >> 13;
  }
  return {static_cast<std::uint16_t>(sign | half)};
}

/// What a table for sums in T may be stored as.
template <class S, class T>
concept storage_of = std::is_same_v<S, T> ||
    (std::is_same_v<T, float> && (std::is_same_v<S, float16> || std::is_same_v<S, bfloat16>));

/// A stored number as a T.
template <class T, storage_of<T> S>
constexpr T widened(S value) noexcept {
  if constexpr (std::is_same_v<S, T>) {
    return value;
  } else {
    return to_float(value);
  }
}

/// A stored number as the nearest T.
template <class T, class S>
constexpr T number_as(S value) noexcept {
  if constexpr (std::is_same_v<S, float16> || std::is_same_v<S, bfloat16>) {
    return static_cast<T>(to_float(value));
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace graphpatcher
