// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graphpatcher/eval/number_text.hpp"

namespace graphpatcher {

using setting_value = std::variant<bool, std::int64_t, double, std::string>;

/// Every option of a run by name, in the order in which they were set.
class run_settings {
public:
  using entry = std::pair<std::string, setting_value>;

  /// Adds an option, or replaces its value. Takes bool, integers, floating
  /// point and whatever a std::string can be made from. A float is kept as the
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
    } else {
      return std::string(value);
    }
  }

  std::vector<entry> entries_;
};

/// A setting's value as a person reads it: "true", "64", "0.0005", "graph".
inline std::string setting_text(const setting_value& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using type = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::same_as<type, bool>) {
          return held ? "true" : "false";
        } else if constexpr (std::same_as<type, std::string>) {
          return held;
        } else if constexpr (std::same_as<type, double>) {
          return shortest_text(held);
        } else {
          return std::to_string(held);
        }
      },
      value);
}

}  // namespace graphpatcher
