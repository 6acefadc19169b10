// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "graphpatcher/core/error.hpp"

/// Sizes are made of numbers that users give. One that wraps would make less room
/// than is written to, so such numbers are multiplied and added here.
namespace graphpatcher {

namespace detail {

template <class... Sizes>
[[noreturn]] void throw_overflow(const char* what, const char* sign, const char* things, Sizes... sizes) {
  std::string numbers;
  ((numbers += (numbers.empty() ? "" : sign) + std::to_string(sizes)), ...);
  throw overflow_error(text(what, ": ", numbers, things, " do not fit into memory"));
}

}  // namespace detail

/// a * b * ..., a number of Ts. Throws overflow_error, which names `what`, where they
/// have more bytes than memory can have.
template <class T = std::byte, std::convertible_to<std::size_t>... Sizes>
std::size_t checked_product(const char* what, Sizes... sizes) {
  std::size_t bytes = sizeof(T);
  bool wraps = false;
  ((wraps |= __builtin_mul_overflow(bytes, static_cast<std::size_t>(sizes), &bytes)), ...);
  if (((static_cast<std::size_t>(sizes) == 0) || ...)) {
    return 0;  // whatever the others are
  }
  if (wraps || bytes > static_cast<std::size_t>(PTRDIFF_MAX)) [[unlikely]] {
    detail::throw_overflow(what, " x ", " values", static_cast<std::size_t>(sizes)...);
  }
  return bytes / sizeof(T);
}

/// a + b + ..., likewise.
template <std::convertible_to<std::size_t>... Sizes>
std::size_t checked_sum(const char* what, Sizes... sizes) {
  std::size_t sum = 0;
  const auto fits = [&](std::size_t size) {
    sum += size;
    return sum >= size && sum <= static_cast<std::size_t>(PTRDIFF_MAX);
  };
  if (!(fits(static_cast<std::size_t>(sizes)) && ...)) [[unlikely]] {
    detail::throw_overflow(what, " + ", "", static_cast<std::size_t>(sizes)...);
  }
  return sum;
}

}  // namespace graphpatcher
