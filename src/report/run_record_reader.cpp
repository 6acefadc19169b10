// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "io/mapped_file.hpp"
#include "report/run_record_json.hpp"

namespace graphpatcher {

namespace {

/// A value inside a parsed record that knows where it stands, so that an error
/// can say "runs[2].chosen: expected a whole number, got "three"".
class record_cursor {
public:
  record_cursor(const record_json& value, const std::string& source, std::string place)
      : value_(value), source_(source), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw file_error(source_, (place_.empty() ? "" : place_ + ": ") + what);
  }

  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
  /// Whether the key is there, and not null.
  bool says(const char* key) const { return has(key) && !value_[key].is_null(); }

  record_cursor operator[](const char* key) const {
    if (!value_.is_object()) {
      wrong("an object");
    }
    const auto found = value_.find(key);
    if (found == value_.end()) {
      fail(text("expected the key '", key, "', which is missing"));
    }
    return {*found, source_, place_.empty() ? key : place_ + "." + key};
  }

  template <class Body>
  void for_each(const Body& body) const {
    if (!value_.is_array()) {
      wrong("a list");
    }
    for (std::size_t i = 0; i < value_.size(); ++i) {
      body(record_cursor(value_[i], source_, text(place_, "[", i, "]")));
    }
  }

  /// A number; null stands for one that was not finite.
  double number() const {
    if (value_.is_null()) {
      return undefined_metric;
    }
    if (!value_.is_number()) {
      wrong("a number or null");
    }
    return value_.get<double>();
  }

  std::uint64_t whole() const {
    if (!value_.is_number_unsigned()) {
      wrong("a whole number that is not negative");
    }
    return value_.get<std::uint64_t>();
  }

  std::string string() const {
    if (!value_.is_string()) {
      wrong("a string");
    }
    return value_.get<std::string>();
  }

  std::vector<double> numbers() const {
    std::vector<double> result;
    for_each([&](const record_cursor& item) { result.push_back(item.number()); });
    return result;
  }

  run_settings settings() const {
    if (!value_.is_object()) {
      wrong("an object");
    }
    try {
      return settings_from_json(value_);
    } catch (const argument_error& problem) {
      throw file_error(source_, place_ + "." + problem.what());
    }
  }

private:
  [[noreturn]] void wrong(const char* expected) const {
    fail(text("expected ", expected, ", got ", value_.type_name()));
  }

  const record_json& value_;
  const std::string& source_;
  std::string place_;
};

std::vector<curve_point> read_curve(const record_cursor& curve) {
  std::vector<curve_point> points;
  curve["iteration"].for_each([&](const record_cursor& item) {
    points.push_back({item.whole(), undefined_metric, undefined_metric});
  });
  const auto loss = curve["loss"].numbers();
  const auto validation = curve["validation"].numbers();
  if (loss.size() != points.size() || validation.size() != points.size()) {
    curve.fail(text("expected three lists of the same length, got ", points.size(), ", ", loss.size(), " and ",
                    validation.size()));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].loss = loss[i];
    points[i].validation = validation[i];
  }
  return points;
}

patch_result read_scores(const record_cursor& row, std::size_t patches) {
  return {patches, row["low"].number(), row["high"].number(), row["overall"].number(), row["macro_f1"].number()};
}

/// The rule of a run, and what it decided where it is the one that weighs.
void read_decision(const record_cursor& json, run_result& run) {
  const std::string name = json["rule"].string();
  const auto& words = words_of<patch_rule>();
  const auto found = std::ranges::find(words, name, &word<patch_rule>::first);
  if (found == words.end()) {
    json["rule"].fail("expected weighted, validated or always, got '" + name + "'");
  }
  run.rule = found->second;
  if (run.rule == patch_rule::weighted) {
    run_decision decision;
    const auto verdict = json["verdict"].string();
    if (verdict != "weighted" && verdict != "backbone") {
      json["verdict"].fail("expected weighted or backbone, got '" + verdict + "'");
    }
    decision.accepted = verdict == "weighted";
    decision.evidence = json["evidence"].number();
    decision.needed = json["needed"].number();
    decision.agreement = json["agreement"].number();
    decision.validation_nodes = json["validation_nodes"].whole();
    json["weights"].for_each([&](const record_cursor& item) {
      decision.weights.push_back({item["answer"].string(), item["weight"].number()});
    });
    json["warnings"].for_each([&](const record_cursor& item) { decision.warnings.push_back(item.string()); });
    run.decision = std::move(decision);
  }
}

run_result read_run(const record_cursor& json) {
  run_result run;
  run.seed = json["seed"].whole();
  run.chosen = json["chosen"].whole();
  json["by_patches"].for_each(
      [&](const record_cursor& row) { run.by_patches.push_back(read_scores(row, row["patches"].whole())); });
  if (json.says("answer")) {
    run.answer = read_scores(json["answer"], 0);
  }
  if (json.says("decision")) {
    read_decision(json["decision"], run);
  }
  const auto seconds = json["seconds"];
  run.seconds = {seconds["backbone"].number(), seconds["patcher"].number(), seconds["patching"].number()};
  run.iterations = json["iterations"].whole();
  run.peak_rss_mb = json["peak_rss_mb"].number();
  if (json.has("notes")) {
    json["notes"].for_each([&](const record_cursor& note) { run.notes.push_back(note.string()); });
  }
  if (json.has("validation")) {
    run.validation = json["validation"].numbers();
  }
  if (json.has("by_degree")) {
    json["by_degree"].for_each([&](const record_cursor& row) {
      run.by_degree.push_back(
          {row["degree"].whole(), row["nodes"].whole(), row["before"].number(), row["after"].number()});
    });
  }
  if (json.has("curves")) {
    run.curves = read_curve(json["curves"]);
  }
  if (json.has("backbone_curve")) {
    run.backbone_curve = read_curve(json["backbone_curve"]);
  }
  return run;
}

}  // namespace

run_decision decision_from_json(const record_json& object) {
  static const std::string source = "decision";
  run_result run;
  read_decision(record_cursor(object, source, ""), run);
  expects(run.decision.has_value(), "decision: expected one of the rule weighted, got ", word_of(run.rule));
  return *run.decision;
}

run_record record_from_text(std::string_view json_text, const std::string& source) {
  if (const std::size_t zero = json_text.find('\0'); zero != std::string_view::npos) {  // where the parser would stop
    throw format_error(source, zero, "expected JSON, got a zero byte");
  }
  record_json parsed;
  try {
    parsed = record_json::parse(json_text);
  } catch (const record_json::parse_error& problem) {
    throw format_error(source, problem.byte, text("expected JSON, ", problem.what()));
  } catch (const record_json::exception& problem) {
    throw file_error(source, text("expected JSON, ", problem.what()));
  }
  const record_cursor root(parsed, source, "");
  run_record record;
  record.dataset = root["dataset"].string();
  record.backbone = root["backbone"].string();
  record.method = root["method"].string();
  record.loss = root["loss"].string();
  record.degree = root["degree"].string();
  record.path = root["path"].string();
  record.version = root["version"].string();
  if (root.has("command")) {
    record.command = root["command"].string();
  }
  if (root.has("settings")) {
    record.settings = root["settings"].settings();
  }
  root["runs"].for_each([&](const record_cursor& run) { record.runs.push_back(read_run(run)); });
  try {
    check_record(record);
  } catch (const argument_error& problem) {
    root.fail(problem.what());
  }
  return record;
}

run_record read_json(const std::filesystem::path& path) {
  const auto bytes = read_file(path, "expected the JSON of a run record");
  return record_from_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

}  // namespace graphpatcher
