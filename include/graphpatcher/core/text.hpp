// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>

namespace graphpatcher {

namespace detail {

/// A part of a message: words, a number, or whatever a stream shows. Its type is gone, so that thousands of checks
/// share the one function that joins parts; numbers are copied, so that no check keeps one out of a register. It lives
/// no longer than what it was made from.
class text_part {
public:
  text_part(const char* words) noexcept : text_part(std::string_view(words)) {}         // NOLINT: every value is one
  text_part(const std::string& words) noexcept : text_part(std::string_view(words)) {}  // NOLINT
  text_part(std::string_view words) noexcept : show_(show_words), held_{.words = words} {}  // NOLINT
  template <class Value>
  text_part(const Value& value) noexcept {  // NOLINT
    if constexpr (std::floating_point<Value> && sizeof(Value) <= sizeof(double)) {
      show_ = show_number;
      held_.number = static_cast<double>(value);
    } else if constexpr (std::signed_integral<Value> && sizeof(Value) > 1) {  // a byte is a letter
      show_ = show_whole;
      held_.whole = value;
    } else if constexpr (std::unsigned_integral<Value> && sizeof(Value) > 1) {
      show_ = show_count;
      held_.count = value;
    } else {
      show_ = [](std::ostream& out, const held& it) { out << *static_cast<const Value*>(it.other); };
      held_.other = &value;
    }
  }

  void show(std::ostream& out) const { show_(out, held_); }

private:
  union held {
    const void* other;
    std::string_view words;
    double number;
    long long whole;
    unsigned long long count;
  };

  static void show_words(std::ostream& out, const held& it) { out << it.words; }
  static void show_number(std::ostream& out, const held& it) { out << it.number; }
  static void show_whole(std::ostream& out, const held& it) { out << it.whole; }
  static void show_count(std::ostream& out, const held& it) { out << it.count; }

  void (*show_)(std::ostream& out, const held& it) = nullptr;
  held held_{};
};

inline std::string joined(std::initializer_list<text_part> parts) {
  std::ostringstream stream;
  stream.exceptions(std::ios::badbit);  // without memory it would go on and leave words out
  for (const auto& part : parts) {
    part.show(stream);
  }
  return stream.str();
}

}  // namespace detail

/// Joins its arguments into one string, for error messages and log lines.
template <class... Parts>
std::string text(const Parts&... parts) {
  return detail::joined({parts...});
}

}  // namespace graphpatcher
