// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/npy.hpp"
#include "io/byte_reader.hpp"
#include "io/npy_header.hpp"

namespace graphpatcher {

namespace detail {

/// Whether `from` is the same number as a To, or one that may be rounded.
template <class To, class From>
bool converts(From from, npy_rounding rounding) {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return std::in_range<To>(from);
  } else if constexpr (std::is_integral_v<From>) {
    return std::abs(static_cast<double>(from)) <= std::pow(2.0, std::is_same_v<To, float> ? 24 : 53);
  } else {
    const To to = static_cast<To>(from);
    return static_cast<From>(to) == from || std::isnan(from) ||
           (rounding == npy_rounding::to_float && std::isfinite(to));
  }
}

/// Hands out `count` values that the file stores as From, in blocks.
template <npy_scalar To, class From, class Reader, class Block>
void convert_npy(Reader& file, std::size_t count, npy_rounding rounding, Block&& block) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    file.fail(file.position(), "expected integers, got floating-point numbers; read them as double");
  } else {
    constexpr std::size_t most = 8192;
    std::vector<To> values(std::min(count, most));
    for (std::size_t done = 0; done < count; done += values.size()) {
      values.resize(std::min(count - done, most));
      const std::uint64_t begin = file.position();
      const auto bytes = file.take(values.size() * sizeof(From), "the values");
      for (std::size_t i = 0; i < values.size(); ++i) {
        const From from = load_little<From>(bytes.data() + i * sizeof(From));
        if (!converts<To>(from, rounding)) [[unlikely]] {
          file.fail(begin + i * sizeof(From), text("the number ", +from, " would change in the type it is read as"));
        }
        values[i] = static_cast<To>(from);
      }
      block(std::span<const To>(values));
    }
  }
}

}  // namespace detail

/// Calls block(values) for the values of an .npy file in their order, some
/// thousands at a time, so that they need not be in memory together. Numbers are
/// converted to `T` only if they stay the same: integers to wider types or
/// floats that hold them, float to double, and back where nothing is lost (or
/// `rounding` allows it); never floating point to integers.
template <npy_scalar T, class Reader, class Block>
void read_npy_values(Reader& file, const npy_layout& layout, npy_rounding rounding, Block&& block) {
  if (layout.type == "<f4") {
    detail::convert_npy<T, float>(file, layout.count, rounding, block);
  } else if (layout.type == "<f8") {
    detail::convert_npy<T, double>(file, layout.count, rounding, block);
  } else if (layout.type == "<i4") {
    detail::convert_npy<T, std::int32_t>(file, layout.count, rounding, block);
  } else if (layout.type == "<i8") {
    detail::convert_npy<T, std::int64_t>(file, layout.count, rounding, block);
  } else {
    const bool only_booleans = layout.type == "|b1";
    detail::convert_npy<T, std::uint8_t>(file, layout.count, rounding, [&](std::span<const T> values) {
      if (only_booleans && std::any_of(values.begin(), values.end(), [](T value) { return value > T(1); })) {
        file.fail(file.position(), "expected booleans of 0 or 1, got another byte");
      }
      block(values);
    });
  }
}

/// Decodes an .npy file: C order, <f4 <f8 <i4 <i8 |b1 |u1.
template <npy_scalar T, class Reader>
npy_array<T> decode_npy(Reader&& file, npy_rounding rounding = npy_rounding::none) {
  const auto layout = read_npy_layout(file);
  npy_array<T> array{layout.shape, {}};
  array.values.reserve(layout.count);
  read_npy_values<T>(file, layout, rounding, [&](std::span<const T> values) {
    array.values.insert(array.values.end(), values.begin(), values.end());
  });
  return array;
}

}  // namespace graphpatcher
