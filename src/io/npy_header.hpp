// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "io/byte_reader.hpp"

namespace graphpatcher {

/// What an .npy file says before its values.
struct npy_layout {
  char kind = 'f';        ///< f, i, u or b: floating point, integers, integers without a sign, booleans
  std::size_t width = 4;  ///< bytes of a value
  bool big_endian = false;
  bool fortran_order = false;  ///< the first axis runs fastest, not the last
  std::vector<std::size_t> shape;
  std::size_t count = 1;  ///< the product of the shape
};

namespace detail {

/// The header of an .npy file: a Python dict literal with exactly three keys,
/// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, read strictly.
template <class Reader>
class npy_header {
public:
  npy_header(const Reader& file, std::string_view literal, std::uint64_t offset)
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
        fortran_order = accept("True");
        if (!fortran_order) {
          expect("False");
        }
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

  std::string descr;
  bool fortran_order = false;
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

  const Reader& file_;
  std::string_view rest_;
  std::size_t size_;
  std::uint64_t offset_;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace detail

/// Reads the beginning of an .npy file (versions 1 to 3), up to its first value.
/// The shape is believed only if the bytes that follow are exactly its values.
/// `Reader` is a byte_reader or a deflated_reader.
template <class Reader>
npy_layout read_npy_layout(Reader& file) {
  if (file.characters(6, "the magic string of an npy file") != "\x93NUMPY") {
    file.fail(0, "expected an npy file, which begins with \\x93NUMPY");
  }
  const auto major = file.template number<std::uint8_t>("a version");
  const auto minor = file.template number<std::uint8_t>("a version");
  if (major < 1 || major > 3 || minor != 0) {
    file.fail(6, text("expected npy version 1.0, 2.0 or 3.0, got ", int{major}, ".", int{minor}));
  }
  const std::uint32_t length = major == 1 ? file.template number<std::uint16_t>("a header's length")
                                          : file.template number<std::uint32_t>("a header's length");
  constexpr std::uint32_t longest = 1 << 16;  // NumPy's own are 128 bytes, and it reads none above 10,000
  if (length > longest) {
    file.fail(file.position(), text("expected an npy header of at most ", longest, " bytes, got ", length));
  }
  const std::uint64_t begin = file.position();
  const detail::npy_header<Reader> header(file, file.characters(length, "a header"), begin);

  constexpr std::string_view known[] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
  const std::string_view type = header.descr;
  const bool has_order = type.starts_with('<') || type.starts_with('>');
  if (type.size() != 3 || (!has_order && type[0] != '|') || (type[0] == '|') != (type[2] == '1') ||
      std::find(std::begin(known), std::end(known), type.substr(1)) == std::end(known)) {
    file.fail(begin, text("expected floating-point numbers of 2, 4 or 8 bytes, integers or booleans, such as <f4, >i8 "
                          "or |b1, got '",
                          header.descr, "'"));
  }
  npy_layout layout{
      type[1], static_cast<std::size_t>(type[2] - '0'), type[0] == '>', header.fortran_order, header.shape, 1};
  const std::size_t width = layout.width;
  const auto held = static_cast<std::size_t>(file.remaining() / width);
  const bool none = std::find(layout.shape.begin(), layout.shape.end(), 0u) != layout.shape.end();
  layout.count = none ? 0 : 1;
  for (const std::size_t extent : layout.shape) {
    if (!none && layout.count > held / extent) {
      file.fail(begin, text("the shape asks for more values than the ", held, " that are there"));
    }
    layout.count *= extent;
  }
  if (layout.count * width != file.remaining()) {
    file.fail(file.position(),
              text("expected ", layout.count, " values of ", width, " bytes, got ", file.remaining(), " bytes"));
  }
  return layout;
}

}  // namespace graphpatcher
