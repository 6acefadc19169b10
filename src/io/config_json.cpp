// SPDX-License-Identifier: MIT
#include "graphpatcher/io/detail/config_json.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

namespace {

using kind = json_value::kind;

nlohmann::ordered_json as_json(const json_value& value) {
  switch (value.is) {
    case kind::boolean:
      return value.flag;
    case kind::whole:
      return value.whole;
    case kind::number:
      return value.number;
    case kind::string:
      return value.string;
    case kind::list: {
      auto list = nlohmann::ordered_json::array();
      for (const auto& item : value.items) {
        list.push_back(as_json(item));
      }
      return list;
    }
    case kind::object: {
      auto object = nlohmann::ordered_json::object();
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        object[value.names[i]] = as_json(value.items[i]);
      }
      return object;
    }
    case kind::null:
      break;
  }
  return nullptr;
}

json_value from_json(const nlohmann::json& json) {
  if (json.is_boolean()) {
    return {.is = kind::boolean, .flag = json.get<bool>()};
  }
  if (json.is_number_unsigned()) {
    return {.is = kind::whole, .whole = json.get<std::uint64_t>()};
  }
  if (json.is_number()) {
    return {.is = kind::number, .number = json.get<double>()};
  }
  if (json.is_string()) {
    return {.is = kind::string, .string = json.get<std::string>()};
  }
  json_value value;
  if (json.is_array()) {
    value.is = kind::list;
    for (const auto& item : json) {
      value.items.push_back(from_json(item));
    }
  } else if (json.is_object()) {
    value.is = kind::object;
    for (const auto& [name, item] : json.items()) {
      value.names.push_back(name);
      value.items.push_back(from_json(item));
    }
  }
  return value;
}

}  // namespace

const json_value* json_value::find(std::string_view name) const noexcept {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &items[static_cast<std::size_t>(found - names.begin())];
}

const char* kind_name(const json_value& value) noexcept {
  switch (value.is) {
    case kind::boolean:
      return "boolean";
    case kind::whole:
    case kind::number:
      return "number";
    case kind::string:
      return "string";
    case kind::list:
      return "array";
    case kind::object:
      return "object";
    case kind::null:
      break;
  }
  return "null";
}

std::string json_text(const json_value& value) {
  return as_json(value).dump();
}

json_value parse_strictly(std::string_view json, const std::string& source, const std::string& place,
                          std::size_t depth) {
  if (json.find('\0') != std::string_view::npos) {  // where the parser would stop
    throw file_error(source, place + ": expected JSON, got a zero byte");
  }
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using now = nlohmann::json::parse_event_t;
    if (event == now::object_start || event == now::array_start) {
      keys.emplace_back();
      if (keys.size() > depth) {
        throw file_error(source, text(place, ": expected JSON at most ", depth, " deep"));
      }
    } else if (event == now::object_end || event == now::array_end) {
      keys.pop_back();
    } else if (event == now::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw file_error(
          source, text(place, ": expected every key once, got '", parsed.get<std::string>().substr(0, 80), "' again"));
    }
    return true;
  };
  try {
    return from_json(nlohmann::json::parse(json.begin(), json.end(), watch));
  } catch (const nlohmann::json::exception&) {
    throw file_error(source, place + ": expected JSON, got something else");
  }
}

}  // namespace graphpatcher
