// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/narrow_float.hpp"
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

/// A value of From at `bytes`; a half as a float.
template <class From>
auto load_npy(const std::uint8_t* bytes, bool big_endian) noexcept {
  std::array<std::uint8_t, sizeof(From)> in_order;
  if (big_endian) {
    std::reverse_copy(bytes, bytes + sizeof(From), in_order.begin());
    bytes = in_order.data();
  }
  if constexpr (std::is_same_v<From, float16>) {
    return to_float(load_little<float16>(bytes));
  } else {
    return load_little<From>(bytes);
  }
}

/// Hands out `count` values that the file stores as From, in blocks.
template <npy_scalar To, class From, class Reader, class Block>
void convert_npy(Reader& file, std::size_t count, bool big_endian, npy_rounding rounding, Block&& block) {
  if constexpr (!std::is_integral_v<From> && std::is_integral_v<To>) {
    file.fail(file.position(), "expected integers, got floating-point numbers; read them as double");
  } else {
    constexpr std::size_t most = 8192;
    std::vector<To> values(std::min(count, most));
    for (std::size_t done = 0; done < count; done += values.size()) {
      values.resize(std::min(count - done, most));
      const std::uint64_t begin = file.position();
      const auto bytes = file.take(values.size() * sizeof(From), "the values");
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto from = load_npy<From>(bytes.data() + i * sizeof(From), big_endian);
        if (!converts<To>(from, rounding)) [[unlikely]] {
          file.fail(begin + i * sizeof(From), text("the number ", +from, " would change in the type it is read as"));
        }
        values[i] = static_cast<To>(from);
      }
      block(std::span<const To>(values));
    }
  }
}

/// Values in the order of a file whose first axis runs fastest, put into the order in which the last one does.
template <class T>
std::vector<T> in_c_order(std::vector<std::size_t> shape, const std::vector<T>& values) {
  std::erase(shape, 1u);  // of which a header has room for thousands: each would cost every value a step
  std::vector<std::size_t> steps(shape.size(), 1);  // from one place of an axis to the next, in the result
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    steps[axis - 1] = steps[axis] * shape[axis];
  }
  std::vector<T> result(values.size());
  std::vector<std::size_t> at(shape.size(), 0);
  std::size_t place = 0;
  for (const T value : values) {
    result[place] = value;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      place += steps[axis];
      if (++at[axis] < shape[axis]) {
        break;
      }
      place -= steps[axis] * shape[axis];
      at[axis] = 0;
    }
  }
  return result;
}

}  // namespace detail

/// Calls block(values) for the values of an .npy file in their order, some
/// thousands at a time, so that they need not be in memory together. Numbers are
/// converted to `T` only if they stay the same: integers to wider types or
/// floats that hold them, floats to wider ones, and back where nothing is lost (or
/// `rounding` allows it); never floating point to integers.
template <npy_scalar T, class Reader, class Block>
void read_npy_values(Reader& file, const npy_layout& layout, npy_rounding rounding, Block&& block) {
  const auto as = [&]<class From>(std::type_identity<From>) {
    detail::convert_npy<T, From>(file, layout.count, layout.big_endian, rounding, block);
  };
  const auto integers =
      [&]<class One, class Two, class Four, class Eight>(std::type_identity<std::tuple<One, Two, Four, Eight>>) {
        layout.width == 1   ? as(std::type_identity<One>{})
        : layout.width == 2 ? as(std::type_identity<Two>{})
        : layout.width == 4 ? as(std::type_identity<Four>{})
                            : as(std::type_identity<Eight>{});
      };
  if (layout.kind == 'f') {
    layout.width == 2   ? as(std::type_identity<float16>{})
    : layout.width == 4 ? as(std::type_identity<float>{})
                        : as(std::type_identity<double>{});
  } else if (layout.kind == 'i') {
    integers(std::type_identity<std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t>>{});
  } else if (layout.kind == 'u') {
    integers(std::type_identity<std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>{});
  } else {
    detail::convert_npy<T, std::uint8_t>(
        file, layout.count, layout.big_endian, rounding, [&](std::span<const T> values) {
          if (std::any_of(values.begin(), values.end(), [](T value) { return value > T(1); })) {
            file.fail(file.position(), "expected booleans of 0 or 1, got another byte");
          }
          block(values);
        });
  }
}

/// Decodes an .npy file.
template <npy_scalar T, class Reader>
npy_array<T> decode_npy(Reader&& file, npy_rounding rounding = npy_rounding::none) {
  const auto layout = read_npy_layout(file);
  npy_array<T> array{layout.shape, {}};
  array.values.reserve(layout.count);
  read_npy_values<T>(file, layout, rounding, [&](std::span<const T> values) {
    array.values.insert(array.values.end(), values.begin(), values.end());
  });
  if (layout.fortran_order && layout.shape.size() > 1 && layout.count > 0) {
    array.values = detail::in_c_order(layout.shape, array.values);
  }
  return array;
}

}  // namespace graphpatcher
