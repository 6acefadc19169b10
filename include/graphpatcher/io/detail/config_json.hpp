// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/choice_words.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/option.hpp"

/// Configurations as JSON text, for the inside of checkpoints. The fields of
/// each are listed once, and written and read by that list: list_options() of a
/// config, list_fields() of what else a checkpoint has.
namespace graphpatcher {

/// A config lists its options, and each is a field.
template <class Fields, lists_options Config>
void list_fields(Fields& field, Config& config) {
  Config::list_options(config, field);
}

/// A JSON value: what is between a config and its text.
struct json_value {
  enum class kind { null, boolean, whole, number, string, list, object };

  kind is = kind::null;
  bool flag = false;
  std::uint64_t whole = 0;  ///< a number from 0 without a point
  double number = 0;        ///< any other
  std::string string{};
  std::vector<json_value> items{};   ///< of a list or an object
  std::vector<std::string> names{};  ///< of an object: one for each item

  const json_value* find(std::string_view name) const noexcept;
  friend bool operator==(const json_value&, const json_value&) = default;
};

/// As text without spaces.
std::string json_text(const json_value& value);

/// What a value is, in a word for messages.
const char* kind_name(const json_value& value) noexcept;

/// JSON from a file that may be hostile: every key once, at most `depth` deep.
json_value parse_strictly(std::string_view json, const std::string& source, const std::string& place,
                          std::size_t depth = 6);

/// Collects fields into a JSON object, in their order.
class fields_writer {
public:
  json_value json{.is = json_value::kind::object};

  template <class Value>
  void operator()(const option& field, Value& value) {
    json.names.emplace_back(field.name);
    json.items.push_back(json_of(value));
  }
  template <class Value>
  void operator()(const char* name, Value& value) {
    (*this)(option{name, {}}, value);
  }

private:
  template <class Value>
  static json_value json_of(Value& value) {
    using kind = json_value::kind;
    if constexpr (std::is_enum_v<Value>) {
      return {.is = kind::string, .string = std::string(word_of(value))};
    } else if constexpr (std::floating_point<Value>) {
      return std::isfinite(value) ? json_value{.is = kind::number, .number = value} : json_value{};
    } else if constexpr (std::same_as<Value, bool>) {
      return {.is = kind::boolean, .flag = value};
    } else if constexpr (std::unsigned_integral<Value>) {
      return {.is = kind::whole, .whole = value};
    } else if constexpr (std::same_as<Value, std::string>) {
      return {.is = kind::string, .string = value};
    } else if constexpr (requires { value.begin(); }) {
      json_value list{.is = kind::list};
      for (auto& item : value) {
        list.items.push_back(json_of(item));
      }
      return list;
    } else {
      fields_writer inner;
      list_fields(inner, value);
      return inner.json;
    }
  }
};

/// Takes fields out of a JSON object: each must be there, of its type, and
/// nothing else may be. Throws file_error that names the field.
class fields_reader {
public:
  fields_reader(const json_value& json, std::string source, std::string place)
      : json_(json), source_(std::move(source)), place_(std::move(place)) {
    if (json.is != json_value::kind::object) {
      fail("", "an object", json);
    }
  }

  template <class Value>
  void operator()(const option& field, Value& value) {
    std::string name(field.name);
    if (json_.find(name) == nullptr && json_.find(field.formerly) != nullptr) {
      name = field.formerly;
    }
    const json_value* found = json_.find(name);
    if (found == nullptr) {
      throw file_error(source_, text(place_, ".", name, ": expected this field, which is missing"));
    }
    known_.insert(name);
    take(*found, text(".", name), value);
  }
  template <class Value>
  void operator()(const char* name, Value& value) {
    (*this)(option{name, {}}, value);
  }

  /// To be called after the last field.
  void finish() const {
    for (const auto& name : json_.names) {
      if (!known_.contains(name)) {
        throw file_error(source_, text(place_, ".", name.substr(0, 80), ": no such field is known in this version"));
      }
    }
  }

private:
  template <class Value>
  void take(const json_value& from, const std::string& name, Value& value) {
    using kind = json_value::kind;
    if constexpr (std::is_enum_v<Value>) {
      take_word(from, name, value);
    } else if constexpr (std::same_as<Value, bool>) {
      from.is == kind::boolean ? void(value = from.flag) : fail(name, "true or false", from);
    } else if constexpr (std::integral<Value>) {
      from.is == kind::whole ? void(value = static_cast<Value>(from.whole)) : fail(name, "a whole number from 0", from);
    } else if constexpr (std::floating_point<Value>) {
      if (from.is == kind::whole) {
        value = static_cast<Value>(from.whole);
      } else if (from.is == kind::number || from.is == kind::null) {
        value = static_cast<Value>(from.is == kind::number ? from.number : std::nan(""));
      } else {
        fail(name, "a number or null", from);
      }
    } else if constexpr (std::same_as<Value, std::string>) {
      from.is == kind::string ? void(value = from.string) : fail(name, "text", from);
    } else if constexpr (requires { value.begin(); }) {
      if (from.is != kind::list) {
        fail(name, "a list", from);
      }
      value.clear();
      for (std::size_t i = 0; i < from.items.size(); ++i) {
        value.emplace_back();
        take(from.items[i], text(name, "[", i, "]"), value.back());
      }
    } else {
      fields_reader inner(from, source_, place_ + name);
      list_fields(inner, value);
      inner.finish();
    }
  }

  template <class Choice>
  void take_word(const json_value& from, const std::string& name, Choice& value) {
    std::string words;
    for (const auto& [spelling, choice] : words_of<Choice>()) {
      if (from.is == json_value::kind::string && from.string == spelling) {
        value = choice;
        return;
      }
      words += (words.empty() ? "" : ", ") + std::string(spelling);
    }
    fail(name, "one of " + words, from);
  }

  [[noreturn]] void fail(const std::string& name, const std::string& expected, const json_value& got) const {
    throw file_error(source_,
                     text(place_, name, ": expected ", expected, ", got ",
                          got.is == json_value::kind::string ? "'" + got.string.substr(0, 80) + "'" : kind_name(got)));
  }

  const json_value& json_;
  std::string source_;
  std::string place_;
  std::set<std::string> known_;
};

}  // namespace graphpatcher
