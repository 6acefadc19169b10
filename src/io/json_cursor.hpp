// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "graphpatcher/core/error.hpp"
#include "io/text_numbers.hpp"

namespace graphpatcher {

/// Walks over a JSON text whose shape is known: the caller says what comes next,
/// and anything else is a format_error with the byte. Nothing is stored, so a
/// file of hundreds of megabytes costs no memory, and a copy of the cursor reads
/// the same place again. (A document tree would be ten times the file.)
class json_cursor {
public:
  /// `path` is for messages; `characters` must outlive this.
  json_cursor(std::string path, std::string_view characters)
      : path_(std::move(path)), begin_(characters.data()), at_(begin_), end_(begin_ + characters.size()) {
    at_ += characters.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark
  }

  /// Calls visit(key) for each pair of an object; visit must read the value.
  /// Keys are compared as they are written, with their escapes.
  template <class Visit>
  void object(Visit&& visit) {
    expect('{', "an object");
    if (accept('}')) {
      return;
    }
    do {
      const std::string_view key = string();
      expect(':', "a colon");
      visit(key);
    } while (accept(','));
    expect('}', "a comma or the end of an object");
  }

  /// Calls visit() for each element of an array; visit must read it.
  template <class Visit>
  void array(Visit&& visit) {
    expect('[', "an array");
    if (accept(']')) {
      return;
    }
    do {
      visit();
    } while (accept(','));
    expect(']', "a comma or the end of an array");
  }

  /// A finite number, as an N: an integer has no fraction and is in range.
  template <class N>
  N number() {
    skip_spaces();
    const bool begins = is_well_formed(at_, end_);  // from_chars would also take nan, 00 and 1.
    N value{};
    const auto [stop, failure] = std::from_chars(at_, end_, value);
    bool good = begins && failure == std::errc{} && (stop == end_ || (*stop != '.' && *stop != 'e' && *stop != 'E'));
    if constexpr (std::is_floating_point_v<N>) {
      if (begins && failure == std::errc::result_out_of_range) {
        good = detail::read_too_small(at_, stop, value);
      }
    }
    if constexpr (std::is_floating_point_v<N>) {
      good = good && std::isfinite(value);
    }
    if (!good) {
      fail(std::is_integral_v<N> ? "expected an integer" : "expected a finite number");
    }
    at_ = stop;
    return value;
  }

  /// true, false, 1 or 0.
  bool boolean() {
    skip_spaces();
    if (accept_word("true")) {
      return true;
    }
    if (accept_word("false")) {
      return false;
    }
    const auto value = number<std::int64_t>();
    if (value != 0 && value != 1) {
      fail("expected true, false, 1 or 0");
    }
    return value == 1;
  }

  /// A value of any kind, left out. Arrays and objects in it may be 64 deep.
  void skip(std::size_t depth = 0) {
    skip_spaces();
    const char next = at_ == end_ ? '\0' : *at_;
    if (next == '[' || next == '{') {
      if (depth == 64) {
        fail("expected arrays and objects at most 64 deep");
      }
      if (next == '[') {
        array([&] { skip(depth + 1); });
      } else {
        object([&](std::string_view) { skip(depth + 1); });
      }
    } else if (next == '"') {
      string();
    } else if (!accept_word("true") && !accept_word("false") && !accept_word("null")) {
      number<double>();
    }
  }

  /// Throws unless nothing follows.
  void finish() {
    skip_spaces();
    if (at_ != end_) {
      fail("expected the end of the file");
    }
  }

  const std::string& path() const noexcept { return path_; }
  /// Bytes up to here, and in all.
  std::size_t position() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
  std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }

  [[noreturn]] void fail(const std::string& what) const {
    throw format_error(path_, static_cast<std::uint64_t>(at_ - begin_), what);
  }

private:
  static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

  /// Whether a number of JSON begins here: no zero before another digit, and digits behind a point.
  static bool is_well_formed(const char* c, const char* end) noexcept {
    c += c != end && *c == '-' ? 1 : 0;
    if (c == end || !is_digit(*c) || (*c == '0' && c + 1 != end && is_digit(c[1]))) {
      return false;
    }
    while (c != end && is_digit(*c)) {
      ++c;
    }
    return c == end || *c != '.' || (c + 1 != end && is_digit(c[1]));
  }

  void skip_spaces() noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) {
      ++at_;
    }
  }
  bool accept(char wanted) noexcept {
    skip_spaces();
    const bool there = at_ != end_ && *at_ == wanted;
    at_ += there ? 1 : 0;
    return there;
  }
  bool accept_word(std::string_view word) noexcept {
    const bool there = std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word);
    at_ += there ? word.size() : 0;
    return there;
  }
  void expect(char wanted, const char* what) {
    if (!accept(wanted)) {
      fail(text("expected ", what, at_ == end_ ? ", got the end of the file" : ""));
    }
  }
  std::string_view string() {
    expect('"', "a string");
    const char* const first = at_;
    for (; at_ != end_ && *at_ != '"'; ++at_) {
      if (*at_ == '\\' && ++at_ == end_) {
        break;
      }
    }
    const std::string_view characters(first, static_cast<std::size_t>(at_ - first));
    expect('"', "the end of a string");
    return characters;
  }

  std::string path_;
  const char* begin_;
  const char* at_;
  const char* end_;
};

}  // namespace graphpatcher
