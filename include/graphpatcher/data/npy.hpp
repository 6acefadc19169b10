// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/data/byte_reader.hpp"

namespace graphpatcher {

/// An array of any number of axes, row-major; no axes means a single number.
template <class T>
struct npy_array {
  std::vector<std::size_t> shape;
  std::vector<T> values;
};

/// What values of an .npy file can be read as.
template <class T>
concept npy_scalar = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint8_t>;

namespace detail {

/// The header of an .npy file: a Python dict literal with exactly three keys,
/// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, read strictly.
class npy_header {
public:
  npy_header(const byte_reader& file, std::string_view literal, std::size_t offset)
      : file_(file), rest_(literal), size_(literal.size()), offset_(offset) {
    expect("{");
    for (int keys = 0; keys < 3; ++keys) {
      if (accept("'descr':") && descr.empty()) {
        expect("'");
        const auto length = std::min(rest_.find('\''), rest_.size());
        descr = rest_.substr(0, length);
        rest_.remove_prefix(length);
        expect("'");
      } else if (accept("'fortran_order':") && !has_order_) {
        has_order_ = true;
        expect("False");
      } else if (accept("'shape':") && !has_shape_) {
        read_shape();
      } else {
        fail("each of the keys descr, fortran_order and shape, once");
      }
      if (!accept(",")) {
        break;
      }
    }
    expect("}");
    skip_spaces();
    if (!rest_.empty() || descr.empty() || !has_order_ || !has_shape_) {
      fail("the keys descr, fortran_order and shape, and nothing else");
    }
  }

  std::string_view descr;
  std::vector<std::size_t> shape;

private:
  void read_shape() {
    has_shape_ = true;
    expect("(");
    while (!accept(")")) {
      skip_spaces();
      std::size_t extent = 0;
      const auto [stop, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (failure != std::errc{}) {
        fail("a number in the shape");
      }
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      shape.push_back(extent);
      if (!accept(",")) {
        expect(")");
        break;
      }
    }
  }

  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }

  bool accept(std::string_view token) {
    skip_spaces();
    const bool there = rest_.starts_with(token);
    rest_.remove_prefix(there ? token.size() : 0);
    return there;
  }

  void expect(std::string_view token) {
    if (!accept(token)) {
      fail(token);
    }
  }

  [[noreturn]] void fail(std::string_view expected) const {
    file_.fail(offset_ + size_ - rest_.size(), text("npy header: expected ", expected));
  }

  const byte_reader& file_;
  std::string_view rest_;
  std::size_t size_;
  std::size_t offset_;
  bool has_order_ = false;
  bool has_shape_ = false;
};

/// Whether `to` is the same number as `from`.
template <class To, class From>
bool converts_exactly(From from) {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return std::in_range<To>(from);
  } else if constexpr (std::is_integral_v<From>) {
    return std::abs(static_cast<double>(from)) <= std::pow(2.0, std::is_same_v<To, float> ? 24 : 53);
  } else {
    return std::isnan(from) || static_cast<From>(static_cast<To>(from)) == from;
  }
}

template <npy_scalar To, class From>
std::vector<To> convert_npy(byte_reader& file, std::size_t count) {
  const std::size_t begin = file.position();
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    file.fail(begin, "expected integers, got floating-point numbers; read them as double");
  } else {
    const auto bytes = file.take(count * sizeof(From), "the values");
    std::vector<To> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const From from = load_little<From>(bytes.data() + i * sizeof(From));
      if (!converts_exactly<To>(from)) {
        file.fail(begin + i * sizeof(From), text("the number ", +from, " would change in the type it is read as"));
      }
      values[i] = static_cast<To>(from);
    }
    return values;
  }
}

}  // namespace detail

/// Decodes an .npy file (versions 1 to 3, C order, <f4 <f8 <i4 <i8 |b1 |u1)
/// from its bytes. Numbers are converted to `T` only if they stay the same:
/// integers to wider types or floats that hold them, float to double, and back
/// where nothing is lost; never floating point to integers.
template <npy_scalar T>
npy_array<T> decode_npy(byte_reader file) {
  if (file.characters(6, "the magic string of an npy file") != "\x93NUMPY") {
    file.fail(0, "expected an npy file, which begins with \\x93NUMPY");
  }
  const auto major = file.number<std::uint8_t>("a version");
  const auto minor = file.number<std::uint8_t>("a version");
  if (major < 1 || major > 3 || minor != 0) {
    file.fail(6, text("expected npy version 1.0, 2.0 or 3.0, got ", int{major}, ".", int{minor}));
  }
  const std::uint32_t length =
      major == 1 ? file.number<std::uint16_t>("a header's length") : file.number<std::uint32_t>("a header's length");
  const std::size_t begin = file.position();
  const detail::npy_header header(file, file.characters(length, "a header"), begin);

  const bool known = header.descr == "<f4" || header.descr == "<f8" || header.descr == "<i4" || header.descr == "<i8" ||
                     header.descr == "|b1" || header.descr == "|u1";
  if (!known) {
    file.fail(begin, text("expected values of type <f4, <f8, <i4, <i8, |b1 or |u1, got '", header.descr, "'"));
  }
  const auto width = static_cast<std::size_t>(header.descr[2] - '0');
  const std::size_t held = file.remaining() / width;
  const bool none = std::find(header.shape.begin(), header.shape.end(), 0u) != header.shape.end();
  std::size_t count = none ? 0 : 1;
  for (const std::size_t extent : header.shape) {
    if (!none && count > held / extent) {
      file.fail(begin, text("the shape asks for more values than the ", held, " that are there"));
    }
    count *= extent;
  }
  if (count * width != file.remaining()) {
    file.fail(file.position(),
              text("expected ", count, " values of ", width, " bytes, got ", file.remaining(), " bytes"));
  }

  npy_array<T> array{header.shape, {}};
  if (header.descr == "<f4") {
    array.values = detail::convert_npy<T, float>(file, count);
  } else if (header.descr == "<f8") {
    array.values = detail::convert_npy<T, double>(file, count);
  } else if (header.descr == "<i4") {
    array.values = detail::convert_npy<T, std::int32_t>(file, count);
  } else if (header.descr == "<i8") {
    array.values = detail::convert_npy<T, std::int64_t>(file, count);
  } else {
    const auto bytes = file.bytes().subspan(file.position());
    if (header.descr == "|b1" && std::any_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte > 1; })) {
      file.fail(file.position(), "expected booleans of 0 or 1, got another byte");
    }
    array.values = detail::convert_npy<T, std::uint8_t>(file, count);
  }
  return array;
}

/// Reads an .npy file.
template <npy_scalar T>
npy_array<T> read_npy(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return decode_npy<T>(byte_reader(path.string(), bytes));
}

}  // namespace graphpatcher
