// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "graphpatcher/core/error.hpp"
#include "io/text_blocks.hpp"
#include "io/text_numbers.hpp"
#include "io/text_source.hpp"

namespace graphpatcher {

/// Goes through the lines of a piece of text and the numbers of each line.
/// Numbers are separated by one comma, or by spaces and tabs, or by both; so
/// that csv, tsv and space-separated files are read alike. Empty lines and
/// those that begin with # are left out; a line may end with \r\n.
class text_lines {
public:
  explicit text_lines(std::string_view lines, std::size_t longest = std::string_view::npos)
      : next_(lines.data()), stop_(lines.data() + lines.size()), longest_(longest), ends_(stop_) {}

  /// Goes to the next line; false if there is none.
  bool next() {
    while (next_ != stop_) {
      begin_ = next_;
      const auto left = static_cast<std::size_t>(stop_ - next_);
      const void* const newline = std::memchr(next_, '\n', left);
      end_ = newline != nullptr ? static_cast<const char*>(newline) : stop_;
      next_ = newline != nullptr ? end_ + 1 : stop_;
      if (static_cast<std::size_t>(end_ - begin_) > longest_) {
        throw text_problem{begin_, text("expected a line of at most ", longest_, " characters, got ", end_ - begin_)};
      }
      if (end_ != begin_ && end_[-1] == '\r') {
        --end_;
      }
      at_ = begin_;
      owed_ = false;
      skip_blanks();
      if (at_ != end_ && *at_ != '#') {
        return true;
      }
      if (at_ == end_ && empty_line_ == nullptr) {
        empty_line_ = begin_;
      }
    }
    return false;
  }

  /// The first empty line so far; null if there was none.
  const char* empty_line() const noexcept { return empty_line_; }

  /// The line without its end.
  std::string_view line() const noexcept { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }
  const char* begin() const noexcept { return begin_; }
  /// Where the next line begins.
  const char* after() const noexcept { return next_; }

  /// Whether a number, good or bad, is next: 7, -1.5, .5, nan, 1x; but not x1.
  bool begins_with_number() const noexcept {
    double value = 0;
    const auto [stop, failure] = std::from_chars(at_, end_, value);
    return at_ != end_ && (std::strchr("0123456789+-.", *at_) != nullptr ||
                           (failure == std::errc{} && (stop == end_ || is_separator(*stop))));
  }

  /// Whether all numbers of the line were read.
  bool done() const noexcept { return at_ == end_ && !owed_; }

  /// The next number; `what` it is, for messages. NaN and infinity are refused.
  template <class N>
  N number(const char* what) {
    N value{};
    auto [stop, failure] = convert(value);
    if constexpr (std::is_floating_point_v<N>) {
      if (failure == std::errc::result_out_of_range && detail::read_too_small(behind_plus(), stop, value))
          [[unlikely]] {
        failure = std::errc{};
      }
    }
    bool good = failure == std::errc{} && (stop == end_ || is_separator(*stop));
    if constexpr (std::is_floating_point_v<N>) {
      good = good && std::isfinite(value);
    }
    if (!good) [[unlikely]] {
      refuse(what, std::is_integral_v<N> ? "an integer" : "a finite number", failure);
    }
    at_ = stop;
    skip_separator();
    return value;
  }

  /// Goes to the next line if it is two integers of at most 8 digits with one separator between them, as nearly all
  /// lines of an edge list are; otherwise, and near the end of the text, stays where it is and returns false.
  [[gnu::always_inline]] bool next_pair(std::int64_t& first, std::int64_t& second) noexcept {
    const char* const begin = next_;
    const char* const middle = ends_.from(begin);
    if (middle == nullptr || !is_separator(*middle)) {
      return false;
    }
    const char* const end = ends_.from(middle + 1);
    if (end == nullptr) {
      return false;
    }
    const char* const newline = end + (*end == '\r');
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    if (*newline != '\n' || static_cast<std::size_t>(newline - begin) > longest_ ||
        !detail::read_eight_digits(begin, middle, a) || !detail::read_eight_digits(middle + 1, end, b)) {
      return false;
    }
    begin_ = begin;
    at_ = end_ = end;
    owed_ = false;
    next_ = newline + 1;
    first = static_cast<std::int64_t>(a);
    second = static_cast<std::int64_t>(b);
    return true;
  }

  /// Throws unless all of the line was read; `wanted` says what a line has, `advice` what to do.
  void expect_done(const char* wanted, const char* advice = "") const {
    if (!done()) [[unlikely]] {
      throw text_problem{at_, text("expected ", wanted, ", got more: '", field(), "'", advice)};
    }
  }

  /// Throws about the line.
  [[noreturn]] void fail(const std::string& what) const { throw text_problem{begin_, what}; }

private:
  static bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
  static bool is_separator(char c) noexcept { return is_blank(c) || c == ','; }

  /// std::from_chars, and for what most files hold the same in a third of the time.
  template <class N>
  std::from_chars_result convert(N& value) noexcept {
    if constexpr (std::is_same_v<N, std::int64_t>) {
      std::uint64_t digits = 0;
      const char* const c = detail::read_digits(at_, end_, digits);
      if (c != at_ && c - at_ <= 18 && (c == end_ || is_separator(*c))) [[likely]] {
        value = static_cast<std::int64_t>(digits);
        return {c, std::errc{}};
      }
    } else if constexpr (std::is_floating_point_v<N>) {
      if (const char* const c = ends_.from(at_);
          c != nullptr && c <= end_ && c != at_ && detail::read_decimal_field(at_, c, value)) [[likely]] {
        return {c, std::errc{}};
      }
      const char* const c = detail::read_short_decimal(at_, end_, value);
      if (c != nullptr && (c == end_ || is_separator(*c))) [[likely]] {
        return {c, std::errc{}};
      }
    }
    return std::from_chars(behind_plus(), end_, value);
  }

  /// A plus before a number is left out, which std::from_chars doesn't know.
  const char* behind_plus() const noexcept {
    return end_ - at_ > 1 && *at_ == '+' && at_[1] != '+' && at_[1] != '-' ? at_ + 1 : at_;
  }

  void skip_blanks() noexcept {
    while (at_ != end_ && is_blank(*at_)) {
      ++at_;
    }
  }
  void skip_separator() noexcept {
    skip_blanks();
    owed_ = at_ != end_ && *at_ == ',';  // a comma owes another number
    if (owed_) {
      ++at_;
      skip_blanks();
    }
  }

  /// What stands here, cut to what a message can show.
  std::string field() const {
    std::string shown;
    for (const char* c = at_; c != end_ && !is_separator(*c) && shown.size() < 40; ++c) {
      shown += static_cast<unsigned char>(*c) < 0x20 || static_cast<unsigned char>(*c) >= 0x7f ? '?' : *c;
    }
    return shown;
  }
  [[noreturn]] void refuse(const char* what, const char* kind, std::errc failure) const {
    if (at_ == end_) {
      throw text_problem{at_, text("expected ", what, ", got the end of the line")};
    }
    throw text_problem{at_, text("expected ", what, ", ", kind, ", got '", field(), "'",
                                 failure == std::errc::result_out_of_range ? ", which is out of range" : "")};
  }

  const char* next_;
  const char* stop_;
  std::size_t longest_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  const char* at_ = nullptr;
  bool owed_ = false;
  const char* empty_line_ = nullptr;
  detail::number_ends ends_;
};

namespace detail {

/// Characters up to the end of the header line; 0 without one.
inline std::size_t header_length(std::string_view head, text_header header) {
  text_lines lines(head);
  if (header == text_header::absent || !lines.next()) {
    return 0;
  }
  const bool numeric = lines.begins_with_number();
  return header == text_header::present || !numeric ? static_cast<std::size_t>(lines.after() - head.data()) : 0;
}

}  // namespace detail

}  // namespace graphpatcher
