// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graphpatcher/core/option_text.hpp"

namespace graphpatcher {

using setting_value = std::variant<bool, std::int64_t, double, std::string>;

/// Every option of a run by name, in the order in which they were set.
class run_settings {
public:
  using entry = std::pair<std::string, setting_value>;

  /// Adds an option, or replaces its value. Takes bool, integers, floating
  /// point, variants with words (core/choice_words.hpp), lists of numbers and
  /// whatever a std::string can be made from. A float is kept as the
  /// decimal that names it: 0.9f is recorded as 0.9, not as 0.89999998.
  template <class Value>
  void set(std::string_view name, const Value& value) {
    setting_value stored = convert(value);
    for (auto& known : entries_) {
      if (known.first == name) {
        known.second = std::move(stored);
        return;
      }
    }
    entries_.emplace_back(std::string(name), std::move(stored));
  }

  const std::vector<entry>& entries() const noexcept { return entries_; }
  bool empty() const noexcept { return entries_.empty(); }
  bool operator==(const run_settings&) const = default;

private:
  template <class Value>
  static setting_value convert(const Value& value) {
    if constexpr (std::same_as<Value, setting_value>) {
      return value;
    } else if constexpr (std::same_as<Value, bool>) {
      return value;
    } else if constexpr (std::integral<Value>) {
      if (!std::in_range<std::int64_t>(value)) {
        return std::to_string(value);  // a seed above 2^63: its digits, rather than another number
      }
      return static_cast<std::int64_t>(value);
    } else if constexpr (std::same_as<Value, float>) {
      const std::string decimal = shortest_text(value);
      double exact = std::numeric_limits<double>::quiet_NaN();
      std::from_chars(decimal.data(), decimal.data() + decimal.size(), exact);
      return exact;
    } else if constexpr (std::floating_point<Value>) {
      return static_cast<double>(value);
    } else if constexpr (std::constructible_from<std::string, const Value&>) {
      return std::string(value);
    } else {
      return option_text(value);
    }
  }

  std::vector<entry> entries_;
};

/// A setting's value as a person reads it: "true", "64", "0.0005", "graph". A function of graphpatcher::io.
std::string setting_text(const setting_value& value);

/// What two runs say of an option.
struct settings_difference {
  std::string name, before, now;
};

/// The first option to which both give a value, and not the same. An option that only one of the two knows says
/// nothing: options are added. A function of graphpatcher::io.
std::optional<settings_difference> first_difference(const run_settings& before, const run_settings& now);

}  // namespace graphpatcher
