// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "graphpatcher/core/choice_words.hpp"
#include "graphpatcher/core/option.hpp"
#include "graphpatcher/core/option_names.hpp"
#include "graphpatcher/core/shortest_text.hpp"

/// Values of options as text, as they are typed and shown.
namespace graphpatcher {

/// "true", "64", "0.0005", "released", "0.9,0.6,0.3".
template <class Value>
std::string option_text(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string(word_of(value));
  } else if constexpr (std::same_as<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::floating_point<Value>) {
    return shortest_text(value);
  } else if constexpr (std::integral<Value>) {
    return std::to_string(value);
  } else {
    std::string list;
    for (const auto& item : value) {
      list += (list.empty() ? "" : ",") + option_text(item);
    }
    return list;
  }
}

/// What may be typed: "true or false", "a whole number", "numbers with commas between", "one of paper, released".
template <class Member>
std::string option_values() {
  using Value = std::remove_cvref_t<Member>;
  if constexpr (std::is_enum_v<Value>) {
    std::string words;
    for (const auto& [word, choice] : words_of<Value>()) {
      words += (words.empty() ? "one of " : ", ") + std::string(word);
    }
    return words;
  } else if constexpr (std::same_as<Value, bool>) {
    return "true or false";
  } else if constexpr (std::floating_point<Value>) {
    return "a number";
  } else if constexpr (std::integral<Value>) {
    return "a whole number";
  } else {
    return "numbers with commas between";
  }
}

namespace detail {

/// Reads one value; false if it is none. Lists have commas, or slashes where commas mean something else.
template <class Value>
bool read_value(std::string_view typed, Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    const auto found = std::ranges::find(words_of<Value>(), typed, [](const auto& entry) { return entry.first; });
    if (found == words_of<Value>().end()) {
      return false;
    }
    value = found->second;
    return true;
  } else if constexpr (std::same_as<Value, bool>) {
    value = typed == "true";
    return value || typed == "false";
  } else if constexpr (std::integral<Value> || std::floating_point<Value>) {
    const auto end = typed.data() + typed.size();
    const auto read = std::from_chars(typed.data(), end, value);
    return read.ec == std::errc() && read.ptr == end && std::isfinite(static_cast<double>(value));
  } else {
    value.clear();
    for (std::size_t begin = 0; begin <= typed.size();) {
      const auto stop = std::min(typed.find_first_of(",/", begin), typed.size());
      value.emplace_back();
      if (!read_value(typed.substr(begin, stop - begin), value.back())) {
        return false;
      }
      begin = stop + 1;
    }
    return true;
  }
}

}  // namespace detail

/// What may be typed, and its range: "a whole number >= 1".
template <class Member>
std::string option_values(const option& o) {
  const std::string range = o.range.words();
  return option_values<Member>() + (range.empty() ? "" : " " + range);
}

/// Sets an option to what was typed. Throws argument_error, which names the option, unless it is such a value and in
/// the option's range.
template <class Value>
void read_option(const option& o, std::string_view typed, Value& value) {
  Value read{};
  bool fits = detail::read_value(typed, read);
  for_each_outside(o, read, [&](double) { fits = false; });
  expects(fits, typed_name(o.name), ": expected ", option_values<Value>(o), "; got '", typed, "'");
  value = read;
}

/// The same for the option of that name, which begins with `prefix`. Throws argument_error with the nearest right name
/// if there is none.
template <lists_options Config>
void set_option(Config& config, std::string_view name, std::string_view typed, std::string_view prefix = {}) {
  bool known = false;
  const auto set = [&](const option& o, auto& value) {
    if (o.name == option_name(name)) {
      known = true;
      read_option(o, typed, value);
    }
  };
  for_each_option(config, set, prefix);
  if (!known) {
    option_names names;
    names.add(config, prefix);
    throw argument_error(text("no option is called '", name, "'; ", names.advice(name)));
  }
}

}  // namespace graphpatcher
