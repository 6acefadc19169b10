// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "graphpatcher/core/error.hpp"

/// Options by name. A config lists its members once, beside them:
///
///   struct my_config {
///     std::size_t hidden = 64;
///
///     static void list_options(auto& config, auto&& option) {
///       option({"hidden", "hidden units", at_least(1)}, config.hidden);
///     }
///   };
///
/// JSON, run records, settings, command lines, --help and check_options() are
/// visitors of that list. An option is called what the member is called; where
/// people type, hyphens stand for its underscores: --learning-rate (docs/options.md).
namespace graphpatcher {

/// The numbers that an option takes: an interval, with or without its ends. Never NaN.
struct value_range {
  static constexpr double none = std::numeric_limits<double>::infinity();

  double least = -none;
  double most = none;
  bool without_least = false;
  bool without_most = true;  ///< so that infinity is in no interval that has no upper end

  constexpr bool contains(double x) const noexcept {
    return (without_least ? x > least : x >= least) && (without_most ? x < most : x <= most);
  }
  /// "> 0", ">= 1", "in [0, 1)", "in [1, 1000000]"; nothing where every number will do.
  std::string words() const {
    if (most == none) {
      return least == -none ? std::string() : text(without_least ? "> " : ">= ", number(least));
    }
    return text("in ", without_least ? '(' : '[', number(least), ", ", number(most), without_most ? ')' : ']');
  }

private:
  static std::string number(double end) {
    const bool whole = end > -1e15 && end < 1e15 && end == static_cast<double>(static_cast<long long>(end));
    return whole ? std::to_string(static_cast<long long>(end)) : text(end);
  }
};

/// So many units of a layer, samples or patches that no product of two of them wraps, and more than anybody has memory
/// for.
inline constexpr double most_units = 1'000'000;

constexpr value_range at_least(double least) {
  return {.least = least};
}
constexpr value_range above(double least) {
  return {.least = least, .without_least = true};
}
/// Both ends are in it.
constexpr value_range within(double least, double most) {
  return {.least = least, .most = most, .without_most = false};
}
/// The upper end is not in it.
constexpr value_range from_to_below(double least, double most) {
  return {.least = least, .most = most};
}

/// What is said of an option, whatever its value.
struct option {
  std::string_view name;
  std::string_view meaning;
  value_range range{};          ///< of a number, or of each number of a list
  std::string_view formerly{};  ///< what it was called once, separated by spaces
  bool changes_results = true;  ///< false: only how the work is shown or submitted
};

namespace detail {

struct ignore_option {
  void operator()(const option&, auto&) const {}
};

}  // namespace detail

/// A struct whose members are options.
template <class Config>
concept lists_options = requires(Config& config) {
  std::remove_const_t<Config>::list_options(config, detail::ignore_option{});
};

/// Calls visit(option, value) for every option of a config, those of its members that are configs among them:
/// `config.spread.over` is the option spread_over. The name lives as long as the call.
template <lists_options Config, class Visit>
void for_each_option(Config& config, Visit&& visit, std::string_view prefix = {}) {
  std::remove_const_t<Config>::list_options(config, [&](option o, auto& value) {
    const std::string name = std::string(prefix) + std::string(o.name);
    if constexpr (lists_options<std::remove_reference_t<decltype(value)>>) {
      for_each_option(value, visit, name + "_");
    } else {
      o.name = name;
      visit(static_cast<const option&>(o), value);
    }
  });
}

/// Calls outside(number) with every number of a value that is not in the range of its option.
template <class Value, class Outside>
void for_each_outside(const option& o, const Value& value, Outside&& outside) {
  const auto check = [&](double number) {
    if (!o.range.contains(number)) {
      outside(number);
    }
  };
  if constexpr (requires { value.begin(); }) {
    for (const double number : value) {
      check(number);
    }
  } else if constexpr ((std::integral<Value> && !std::same_as<Value, bool>) || std::floating_point<Value>) {
    check(static_cast<double>(value));
  }
}

/// Throws argument_error, which begins with `owner`, unless every number is in the range of its option.
template <lists_options Config>
void check_options(std::string_view owner, const Config& config) {
  for_each_option(config, [&](const option& o, const auto& value) {
    for_each_outside(o, value, [&](double number) {
      throw argument_error(text(owner, ": expected ", o.name, ' ', o.range.words(), ", got ", number));
    });
  });
}

/// The one spelling: "learning-rate" and "learning rate" are typed and read as learning_rate ...
inline std::string option_name(std::string_view typed) {
  std::string name(typed);
  for (char& c : name) {
    c = c == '-' || c == ' ' ? '_' : c;
  }
  return name;
}

/// ... and learning_rate is shown as learning-rate where people type it.
inline std::string typed_name(std::string_view name) {
  std::string typed(name);
  for (char& c : typed) {
    c = c == '_' ? '-' : c;
  }
  return typed;
}

}  // namespace graphpatcher
