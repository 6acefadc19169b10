// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// Numbers as most text files write them, read faster than std::from_chars can,
/// which must be ready for anything. What is not of that kind is left to it.
namespace graphpatcher::detail {

inline constexpr std::uint64_t powers_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// The number that eight characters '0' ... '9', less '0' each, stand for; the
/// first is the lowest byte. Neighbours are joined: to four pairs, two fours, one.
inline std::uint64_t join_eight_digits(std::uint64_t digits) noexcept {
  digits = 10 * digits + (digits >> 8);
  const std::uint64_t pairs = 0x000000FF000000FF;
  return ((digits & pairs) * (100 + (std::uint64_t{1000000} << 32)) +
          ((digits >> 16) & pairs) * (1 + (std::uint64_t{10000} << 32))) >>
         32;
}

/// Reads decimal digits as far as they go and returns where they end. More than
/// 19 of them wrap: the caller looks at their number. Eight are read at a time,
/// which spares the branch at the end of each number that nobody can foretell.
[[gnu::always_inline]] inline const char* read_digits(const char* at, const char* end, std::uint64_t& digits) noexcept {
  while (end - at >= 8) {
    std::uint64_t chunk = 0;
    std::memcpy(&chunk, at, 8);
    chunk ^= 0x3030303030303030;  // digits become 0 ... 9, others more
    const std::uint64_t others = (chunk | (chunk + 0x7676767676767676)) & 0x8080808080808080;
    const int count = std::countr_zero(others) / 8;
    if (count == 0) {
      return at;
    }
    digits = digits * powers_of_ten[count] + join_eight_digits(chunk << (64 - 8 * count));
    at += count;
    if (count < 8) {
      return at;
    }
  }
  for (; at != end && static_cast<unsigned char>(*at - '0') < 10; ++at) {
    digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
  }
  return at;
}

/// Reads [-]digits[.digits] with at most 15 digits and returns where it ends, or
/// null for anything else. The result is the one nearest to the decimal number:
/// both parts of the quotient are exact doubles, so it is rounded once. A float
/// would be rounded twice, which matters only if the double is halfway between
/// two floats: then null as well.
template <class T>
const char* read_short_decimal(const char* at, const char* end, T& value) noexcept {
  static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool negative = at != end && *at == '-';
  const char* const first = at + negative;
  std::uint64_t digits = 0;
  const char* c = first;
  for (; c != end && static_cast<unsigned char>(*c - '0') < 10; ++c) {  // before the point there are few
    digits = 10 * digits + static_cast<std::uint64_t>(*c - '0');
  }
  auto count = c - first;
  std::ptrdiff_t decimals = 0;
  if (c != end && *c == '.') {
    const char* const point = c + 1;
    c = read_digits(point, end, digits);
    decimals = c - point;
    count += decimals;
  }
  if (count == 0 || count > 15) {
    return nullptr;
  }
  const double exact = static_cast<double>(digits) / powers[decimals];
  if constexpr (std::is_same_v<T, float>) {
    constexpr std::uint64_t below_float = (std::uint64_t{1} << 29) - 1;
    if ((std::bit_cast<std::uint64_t>(exact) & below_float) == std::uint64_t{1} << 28) {
      return nullptr;
    }
  }
  static constexpr double signs[] = {1, -1};  // no branch: signs come in no order
  value = static_cast<T>(signs[negative] * exact);
  return c;
}

}  // namespace graphpatcher::detail
