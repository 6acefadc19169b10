// SPDX-License-Identifier: MIT
#include "report/run_record_json.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "graphpatcher/core/option_names.hpp"
#include "graphpatcher/eval/summary.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "graphpatcher/patcher/config.hpp"

namespace graphpatcher {

namespace {

record_json number_json(double value) {
  return std::isfinite(value) ? record_json(value) : record_json(nullptr);
}

record_json numbers_json(const std::vector<double>& values) {
  auto list = record_json::array();
  for (const double value : values) {
    list.push_back(number_json(value));
  }
  return list;
}

record_json curve_json(const std::vector<curve_point>& points) {
  auto iteration = record_json::array();
  std::vector<double> loss, validation;
  for (const auto& point : points) {
    iteration.push_back(point.iteration);
    loss.push_back(point.loss);
    validation.push_back(point.validation);
  }
  return {{"iteration", iteration}, {"loss", numbers_json(loss)}, {"validation", numbers_json(validation)}};
}

/// Appends the scores of a row.
record_json with_scores(record_json object, const patch_result& row) {
  object["low"] = number_json(row.low);
  object["high"] = number_json(row.high);
  object["overall"] = number_json(row.overall);
  object["macro_f1"] = number_json(row.macro_f1);
  return object;
}

/// How the run came to its answer. A method that chooses no number and weighs nothing has nothing to say.
record_json decision_json(const run_result& run) {
  if (!run.decision) {
    return run.answer ? record_json(nullptr) : record_json{{"rule", word_of(run.rule)}, {"patches", run.chosen}};
  }
  return decision_to_json(*run.decision);
}

record_json run_json(const run_result& run) {
  auto by_patches = record_json::array();
  for (const auto& row : run.by_patches) {
    by_patches.push_back(with_scores({{"patches", row.patches}}, row));
  }
  auto by_degree = record_json::array();
  for (const auto& row : run.by_degree) {
    by_degree.push_back({{"degree", row.degree},
                         {"nodes", row.nodes},
                         {"before", number_json(row.before)},
                         {"after", number_json(row.after)}});
  }
  return {{"seed", run.seed},
          {"chosen", run.chosen},
          {"by_patches", by_patches},
          {"answer", run.answer ? with_scores(record_json::object(), *run.answer) : record_json(nullptr)},
          {"decision", decision_json(run)},
          {"seconds",
           {{"backbone", number_json(run.seconds.backbone)},
            {"patcher", number_json(run.seconds.patcher)},
            {"patching", number_json(run.seconds.patching)}}},
          {"iterations", run.iterations},
          {"notes", run.notes},
          {"peak_rss_mb", number_json(run.peak_rss_mb)},
          {"validation", numbers_json(run.validation)},
          {"by_degree", by_degree},
          {"curves", curve_json(run.curves)},
          {"backbone_curve", curve_json(run.backbone_curve)}};
}

/// One of the two numbers of every statistic: its mean, or its deviation.
record_json summary_json(const record_summary& summary, double statistics::*number) {
  const auto groups = [&](const result_statistics& of) -> record_json {
    return {{"low", number_json(of.low.*number)},
            {"high", number_json(of.high.*number)},
            {"overall", number_json(of.overall.*number)}};
  };
  return {{"before", groups(summary.before)}, {"after", groups(summary.after)}};
}

}  // namespace

record_json decision_to_json(const run_decision& decision) {
  auto weights = record_json::array();
  for (const auto& [name, weight] : decision.weights) {
    weights.push_back({{"answer", name}, {"weight", number_json(weight)}});
  }
  return {{"rule", word_of(patch_rule::weighted)},
          {"verdict", decision.accepted ? "weighted" : "backbone"},
          {"evidence", number_json(decision.evidence)},
          {"needed", number_json(decision.needed)},
          {"agreement", number_json(decision.agreement)},
          {"validation_nodes", decision.validation_nodes},
          {"weights", weights},
          {"warnings", decision.warnings}};
}

record_json settings_to_json(const run_settings& settings) {
  auto object = record_json::object();
  for (const auto& [name, value] : settings.entries()) {
    object[name] = std::visit(
        [](const auto& held) -> record_json {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, double>) {
            return number_json(held);
          } else {
            return held;
          }
        },
        value);
  }
  return object;
}

run_settings settings_from_json(const record_json& object) {
  static const option_names names = [] {
    option_names all;
    all.add(patcher_config{});
    return all;
  }();
  run_settings settings;
  for (const auto& [stored, value] : object.items()) {
    const std::string name = names.now(stored);
    if (value.is_boolean()) {
      settings.set(name, value.get<bool>());
    } else if (value.is_number_unsigned()) {
      settings.set(name, value.get<std::uint64_t>());
    } else if (value.is_number_integer()) {
      settings.set(name, value.get<std::int64_t>());
    } else if (value.is_string()) {
      settings.set(name, value.get<std::string>());
    } else {
      expects(value.is_number() || value.is_null(), stored, ": expected a number or null, got ", value.type_name());
      settings.set(name, value.is_null() ? undefined_metric : value.get<double>());
    }
  }
  return settings;
}

record_json record_to_json(const run_record& record) {
  const auto summary = summarise(record);
  auto runs = record_json::array();
  for (const auto& run : record.runs) {
    runs.push_back(run_json(run));
  }
  return {{"dataset", record.dataset},
          {"backbone", record.backbone},
          {"method", record.method},
          {"loss", record.loss},
          {"degree", record.degree},
          {"path", record.path},
          {"version", record.version},
          {"command", record.command},
          {"settings", settings_to_json(record.settings)},
          {"mean", summary_json(summary, &statistics::mean)},
          {"std", summary_json(summary, &statistics::deviation)},
          {"runs", runs}};
}

std::string record_to_text(const run_record& record) {
  return record_to_json(record).dump(2, ' ', false, record_json::error_handler_t::replace) + "\n";
}

void write_json(const run_record& record, const std::filesystem::path& path) {
  write_file_atomically(path, record_to_text(record));
}

}  // namespace graphpatcher
