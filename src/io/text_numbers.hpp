// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>
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

/// Eight characters less '0' each: digits become 0 ... 9, others more.
inline std::uint64_t load_eight(const char* at) noexcept {
  std::uint64_t chunk = 0;
  std::memcpy(&chunk, at, 8);
  return chunk ^ 0x3030303030303030;
}

/// The highest bit of each byte that is no digit.
inline std::uint64_t other_than_digits(std::uint64_t chunk) noexcept {
  return (chunk | (chunk + 0x7676767676767676)) & 0x8080808080808080;
}

/// Reads decimal digits as far as they go and returns where they end. More than
/// 19 of them wrap: the caller looks at their number. Eight are read at a time,
/// which spares the branch at the end of each number that nobody can foretell.
[[gnu::always_inline]] inline const char* read_digits(const char* at, const char* end, std::uint64_t& digits) noexcept {
  while (end - at >= 8) {
    const std::uint64_t chunk = load_eight(at);
    const int count = std::countr_zero(other_than_digits(chunk)) / 8;
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

/// The number that stands in [at, stop), 1 to 8 digits; false if it is something else. There must be eight characters
/// at `at`, whatever they are.
[[gnu::always_inline]] inline bool read_eight_digits(const char* at, const char* stop, std::uint64_t& digits) noexcept {
  const auto count = static_cast<std::size_t>(stop - at);
  if (count - 1 >= 8) {
    return false;
  }
  const std::uint64_t chunk = load_eight(at) << (64 - 8 * count);
  digits = join_eight_digits(chunk);
  return other_than_digits(chunk) == 0;
}

/// digits / 10^decimals, both exact doubles as there are at most 15 digits: so it is rounded once and the nearest there
/// is. A float would be rounded twice, which matters only if the double is halfway between two floats: then false.
template <class T>
[[gnu::always_inline]] inline bool nearest_decimal(std::uint64_t digits, std::size_t decimals, bool negative,
                                                   T& value) noexcept {
  static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  static constexpr double signs[] = {1, -1};  // no branch: signs come in no order
  const double exact = static_cast<double>(static_cast<std::int64_t>(digits)) / powers[decimals];
  if constexpr (std::is_same_v<T, float>) {
    constexpr std::uint64_t below_float = (std::uint64_t{1} << 29) - 1;
    if ((std::bit_cast<std::uint64_t>(exact) & below_float) == std::uint64_t{1} << 28) {
      return false;
    }
  }
  value = static_cast<T>(signs[negative] * exact);
  return true;
}

/// Reads [-]digits[.digits] with at most 15 digits and returns where it ends, or
/// null for anything else and where nearest_decimal() gives up.
template <class T>
const char* read_short_decimal(const char* at, const char* end, T& value) noexcept {
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
  const bool read =
      count > 0 && count <= 15 && nearest_decimal(digits, static_cast<std::size_t>(decimals), negative, value);
  return read ? c : nullptr;
}

/// The same for a number that stands in [at, stop), with 1 to 7 digits before the point and 1 to 8 behind it, or no
/// point; false for anything else. There must be eight characters at `stop`, whatever they are: so no end is looked
/// for.
template <class T>
[[gnu::always_inline]] inline bool read_decimal_field(const char* at, const char* stop, T& value) noexcept {
  const bool negative = *at == '-';
  const char* const first = at + negative;
  const std::uint64_t chunk = load_eight(first);
  const auto count = static_cast<std::size_t>(std::countr_zero(other_than_digits(chunk))) / 8;
  if (count - 1 >= 7) {
    return false;
  }
  std::uint64_t digits = join_eight_digits(chunk << (64 - 8 * count));
  const char* const point = first + count;
  if (point == stop) {
    return nearest_decimal(digits, 0, negative, value);
  }
  std::uint64_t fraction = 0;
  if (*point != '.' || !read_eight_digits(point + 1, stop, fraction)) {
    return false;
  }
  const auto decimals = static_cast<std::size_t>(stop - point - 1);
  return nearest_decimal(digits * powers_of_ten[decimals] + fraction, decimals, negative, value);
}

/// Whether a decimal, as std::from_chars took it, is smaller than 1: by the place of its first digit that isn't 0.
inline bool is_below_one(const char* first, const char* last) noexcept {
  const char* const exponent = std::find_if(first, last, [](char c) { return c == 'e' || c == 'E'; });
  const char* const point = std::find(first, exponent, '.');
  const char* const digit = std::find_if(first, exponent, [](char c) { return c >= '1' && c <= '9'; });
  const auto place = static_cast<long long>(digit < point ? point - digit - 1 : point - digit);
  const bool negative = exponent != last && exponent + 1 != last && exponent[1] == '-';
  const char* power_begin = exponent == last ? last : exponent + 1;
  power_begin += power_begin != last && (*power_begin == '-' || *power_begin == '+') ? 1 : 0;
  long long power = 0;
  if (std::from_chars(power_begin, last, power).ec == std::errc::result_out_of_range) {
    return negative;  // more digits than any file has
  }
  return place + (negative ? -power : power) < 0;
}

/// For a decimal that std::from_chars found out of N's range: too small is 0 and no error, too large is false.
template <class N>
bool read_too_small(const char* first, const char* last, N& value) noexcept {
  double wide = 0;
  const bool in_double = std::from_chars(first, last, wide).ec == std::errc{};
  value = in_double ? static_cast<N>(wide) : N(0);  // an infinite one is for the caller to see
  return in_double || is_below_one(first, last);
}

}  // namespace graphpatcher::detail
