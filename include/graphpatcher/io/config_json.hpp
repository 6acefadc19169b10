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

#include <nlohmann/json.hpp>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/patcher/config_words.hpp"

/// Configurations as JSON text, for the inside of checkpoints. The fields of
/// each are listed once, and written and read by that list.
namespace graphpatcher {

template <>
struct choice_words<normalisation> {
  static constexpr std::array list{word<normalisation>{"sum", normalisation::sum},
                                   word<normalisation>{"mean", normalisation::mean},
                                   word<normalisation>{"symmetric", normalisation::symmetric}};
};
template <>
struct choice_words<sage_aggregator> {
  static constexpr std::array list{word<sage_aggregator>{"mean", sage_aggregator::mean},
                                   word<sage_aggregator>{"pool", sage_aggregator::pool}};
};

template <class Fields>
void list_fields(Fields& field, gcn_config& c) {
  field("layers", c.layers);
  field("hidden", c.hidden);
  field("dropout", c.dropout);
  field("norm", c.norm);
  field("seed", c.seed);
}

template <class Fields>
void list_fields(Fields& field, sage_config& c) {
  field("layers", c.layers);
  field("hidden", c.hidden);
  field("dropout", c.dropout);
  field("aggregator", c.aggregator);
  field("random_bias", c.random_bias);
  field("seed", c.seed);
}

template <class Fields>
void list_fields(Fields& field, gat_config& c) {
  field("layers", c.layers);
  field("hidden", c.hidden);
  field("heads", c.heads);
  field("output_heads", c.output_heads);
  field("dropout", c.dropout);
  field("attention_dropout", c.attention_dropout);
  field("slope", c.slope);
  field("seed", c.seed);
}

template <class Fields>
void list_fields(Fields& field, spread_options& c) {
  field("over", c.over);
  field("similar", c.similar);
  field("weight", c.weight);
  field("steps", c.steps);
}

template <class Fields>
void list_fields(Fields& field, patcher_config& c) {
  field("hidden", c.hidden);
  field("dropout", c.dropout);
  field("strengths", c.strengths);
  field("samples", c.samples);
  field("estimator", c.estimator);
  field("degree", c.degree);
  field("edge", c.edge);
  field("path", c.path);
  field("loss", c.loss);
  field("reduction", c.reduction);
  field("target", c.target);
  field("spread", c.spread);
  field("epsilon", c.epsilon);
  field("backprop_through_steps", c.backprop_through_steps);
  field("anchors", c.anchors);
  field("batch", c.batch);
  field("accumulate", c.accumulate);
  field("learning_rate", c.learning_rate);
  field("weight_decay", c.weight_decay);
  field("max_iterations", c.max_iterations);
  field("stop", c.stop);
  field("warmup", c.warmup);
  field("evaluate_every", c.evaluate_every);
  field("patience", c.patience);
  field("patches", c.patches);
  field("seed", c.seed);
  field("quiet", c.quiet);
  field("capture", c.capture);
}

/// Collects fields into a JSON object, in their order.
class fields_writer {
public:
  nlohmann::ordered_json json = nlohmann::ordered_json::object();

  template <class Value>
  void operator()(const char* name, Value& value) {
    json[name] = json_of(value);
  }

private:
  template <class Value>
  static nlohmann::ordered_json json_of(Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      return word_of(value);
    } else if constexpr (std::floating_point<Value>) {
      return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
    } else if constexpr (std::integral<Value> || std::same_as<Value, std::string>) {
      return value;
    } else if constexpr (requires { value.begin(); }) {
      auto list = nlohmann::ordered_json::array();
      for (auto& item : value) {
        list.push_back(json_of(item));
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
  fields_reader(const nlohmann::json& json, std::string source, std::string place)
      : json_(json), source_(std::move(source)), place_(std::move(place)) {
    if (!json.is_object()) {
      fail("", "an object", json);
    }
  }

  template <class Value>
  void operator()(const char* name, Value& value) {
    const auto found = json_.find(name);
    if (found == json_.end()) {
      throw file_error(source_, text(place_, ".", name, ": expected this field, which is missing"));
    }
    known_.insert(name);
    take(*found, text(".", name), value);
  }

  /// To be called after the last field.
  void finish() const {
    for (const auto& [name, value] : json_.items()) {
      if (!known_.contains(name)) {
        throw file_error(source_, text(place_, ".", name.substr(0, 80), ": no such field is known in this version"));
      }
    }
  }

private:
  template <class Value>
  void take(const nlohmann::json& from, const std::string& name, Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      take_word(from, name, value);
    } else if constexpr (std::same_as<Value, bool>) {
      from.is_boolean() ? void(value = from.get<bool>()) : fail(name, "true or false", from);
    } else if constexpr (std::integral<Value>) {
      from.is_number_unsigned() ? void(value = from.get<Value>()) : fail(name, "a whole number from 0", from);
    } else if constexpr (std::floating_point<Value>) {
      from.is_number() || from.is_null() ? void(value = from.is_null() ? std::nan("") : from.get<double>())
                                         : fail(name, "a number or null", from);
    } else if constexpr (std::same_as<Value, std::string>) {
      from.is_string() ? void(value = from.get<std::string>()) : fail(name, "text", from);
    } else if constexpr (requires { value.begin(); }) {
      if (!from.is_array()) {
        fail(name, "a list", from);
      }
      value.clear();
      for (std::size_t i = 0; i < from.size(); ++i) {
        value.emplace_back();
        take(from[i], text(name, "[", i, "]"), value.back());
      }
    } else {
      fields_reader inner(from, source_, place_ + name);
      list_fields(inner, value);
      inner.finish();
    }
  }

  template <class Choice>
  void take_word(const nlohmann::json& from, const std::string& name, Choice& value) {
    std::string words;
    for (const auto& [spelling, choice] : words_of<Choice>()) {
      if (from.is_string() && from.get_ref<const std::string&>() == spelling) {
        value = choice;
        return;
      }
      words += (words.empty() ? "" : ", ") + std::string(spelling);
    }
    fail(name, "one of " + words, from);
  }

  [[noreturn]] void fail(const std::string& name, const std::string& expected, const nlohmann::json& got) const {
    throw file_error(source_,
                     text(place_, name, ": expected ", expected, ", got ",
                          got.is_string() ? "'" + got.get<std::string>().substr(0, 80) + "'" : got.type_name()));
  }

  const nlohmann::json& json_;
  std::string source_;
  std::string place_;
  std::set<std::string> known_;
};

/// JSON from a file that may be hostile: every key once, at most `depth` deep.
inline nlohmann::json parse_strictly(std::string_view json, const std::string& source, const std::string& place,
                                     std::size_t depth = 6) {
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
    return nlohmann::json::parse(json.begin(), json.end(), watch);
  } catch (const nlohmann::json::exception&) {
    throw file_error(source, place + ": expected JSON, got something else");
  }
}

}  // namespace graphpatcher
