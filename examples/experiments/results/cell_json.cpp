// SPDX-License-Identifier: MIT
#include "experiments/results/cell_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/results/bits_text.hpp"

namespace graphpatcher {

namespace {

record_json short_json(double value) {
  return std::isfinite(value) ? record_json(std::round(value * 1e4) / 1e4) : record_json(nullptr);
}

record_json group_json(const group_score& s) {
  record_json group{short_json(s.accuracy), short_json(s.log_likelihood), short_json(s.calibration)};
  if (std::isfinite(s.roc_auc)) {
    group.push_back(short_json(s.roc_auc));
  }
  return group;
}

record_json neighbors_json(const neighbor_score& s) {
  const auto group = [](const neighbor_labels& of) {
    return record_json{short_json(of.homophily), short_json(of.diversity)};
  };
  return {{"low", group(s.low)}, {"high", group(s.high)}, {"overall", group(s.overall)}};
}

/// Nothing in the place of what a cell doesn't have.
record_json outcomes_json(const node_outcomes& outcomes) {
  return outcomes.empty() ? record_json(nullptr)
                          : record_json{{"tested", bits_to_text(outcomes.tested)},
                                        {"before", bits_to_text(outcomes.before)},
                                        {"after", bits_to_text(outcomes.after)}};
}

record_json node_score_json(const node_score& s) {
  return {{"low", group_json(s.low)},
          {"high", group_json(s.high)},
          {"overall", group_json(s.overall)},
          {"fractional", {short_json(s.fractional_low), short_json(s.fractional_high)}}};
}

/// Adds the scores of both sets of nodes to `row`.
record_json with_scores(record_json row, const node_score& test, const node_score& unlabelled) {
  row["test"] = node_score_json(test);
  if (auto others = node_score_json(unlabelled); others != row["test"]) {
    row["unlabelled"] = std::move(others);
  }
  return row;
}

std::uint64_t whole_from(const record_json& object, const char* key) {
  const auto& value = object.at(key);
  const bool counts = value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
  expects(counts, key, ": expected a whole number that is not negative, got ", value.dump());
  return value.get<std::uint64_t>();
}

double number_from(const record_json& value) {
  return value.is_null() ? undefined_metric : value.get<double>();
}

group_score group_from(const record_json& g) {
  return {number_from(g.at(0)), number_from(g.at(1)), number_from(g.at(2)),
          g.size() > 3 ? number_from(g.at(3)) : undefined_metric};
}

neighbor_score neighbors_from(const record_json& s) {
  const auto group = [&](const char* name) {
    return neighbor_labels{number_from(s.at(name).at(0)), number_from(s.at(name).at(1))};
  };
  return {group("low"), group("high"), group("overall")};
}

node_outcomes outcomes_from(const record_json& stored) {
  const auto bits = [&](const char* name) { return bits_from_text(stored.at(name).get<std::string>()); };
  node_outcomes outcomes{bits("tested"), bits("before"), bits("after")};
  const auto tested = static_cast<std::size_t>(std::ranges::count(outcomes.tested, true));
  expects(outcomes.before.size() == tested && outcomes.after.size() == tested, "outcomes: expected those of ", tested,
          " tested nodes, got ", outcomes.before.size(), " before and ", outcomes.after.size(), " after");
  return outcomes;
}

/// Whether a key is there that results of before it do not have.
bool says(const record_json& object, const char* key) {
  return object.contains(key) && !object.at(key).is_null();
}

node_score node_score_from(const record_json& s) {
  return {group_from(s.at("low")), group_from(s.at("high")), group_from(s.at("overall")),
          number_from(s.at("fractional").at(0)), number_from(s.at("fractional").at(1))};
}

node_score unlabelled_from(const record_json& row) {
  return node_score_from(row.at(row.contains("unlabelled") ? "unlabelled" : "test"));
}

}  // namespace

namespace {

record_json patched_json(const patched_score& row) {
  const record_json validation{short_json(row.validation), short_json(row.validation_log_likelihood)};
  return with_scores({{"n", row.patches}, {"validation", validation}}, row.test, row.unlabelled);
}

patched_score patched_from(const record_json& row) {
  const auto& validation = row.at("validation");
  return {whole_from(row, "n"), number_from(validation.at(0)), number_from(validation.at(1)),
          node_score_from(row.at("test")), unlabelled_from(row)};
}

}  // namespace

record_json cell_to_json(const cell_result& cell) {
  auto by_patches = record_json::array();
  for (const auto& row : cell.by_patches) {
    by_patches.push_back(patched_json(row));
  }
  auto combined = record_json::array();
  for (const auto& row : cell.combined) {
    combined.push_back(with_scores({{"rule", row.rule}}, row.test, row.unlabelled));
  }
  auto by_degree = record_json::array();
  for (const auto& row : cell.by_degree) {
    by_degree.push_back({{"degrees", row.degrees},
                         {"nodes", row.nodes},
                         {"before", group_json(row.before)},
                         {"after", group_json(row.after)}});
  }
  auto iteration = record_json::array(), loss = record_json::array(), validation = record_json::array();
  for (const auto& point : cell.curve) {
    iteration.push_back(point.iteration);
    loss.push_back(short_json(point.loss));
    validation.push_back(short_json(point.validation));
  }
  return {{"dataset", cell.key.dataset},
          {"backbone", cell.key.backbone},
          {"method", cell.key.method},
          {"setting", cell.key.setting},
          {"seed", cell.key.seed},
          {"chosen", cell.chosen},
          {"by_patches", by_patches},
          {"answer", cell.answer ? patched_json(*cell.answer) : record_json(nullptr)},
          {"decision", cell.decision ? decision_to_json(*cell.decision) : record_json(nullptr)},
          {"combined", combined},
          {"by_degree", by_degree},
          {"neighbors", neighbors_json(cell.neighbors)},
          {"outcomes", outcomes_json(cell.outcomes)},
          {"curve", {{"iteration", iteration}, {"loss", loss}, {"validation", validation}}},
          {"iterations", cell.iterations},
          {"seconds", short_json(cell.seconds)},
          {"backbone_seconds", short_json(cell.backbone_seconds)},
          {"peak_rss_mb", short_json(cell.peak_rss_mb)},
          {"path", cell.path},
          {"version", cell.version},
          {"settings", settings_to_json(cell.settings)}};
}

cell_result cell_from_json(const record_json& object) {
  cell_result cell;
  cell.key = {object.at("dataset"), object.at("backbone"), object.at("method"), object.at("setting"),
              whole_from(object, "seed")};
  cell.chosen = whole_from(object, "chosen");
  for (const auto& row : object.at("by_patches")) {
    cell.by_patches.push_back(patched_from(row));
  }
  if (says(object, "answer")) {
    cell.answer = patched_from(object.at("answer"));
  }
  if (says(object, "decision")) {
    cell.decision = decision_from_json(object.at("decision"));
  }
  if (says(object, "neighbors")) {
    cell.neighbors = neighbors_from(object.at("neighbors"));
  }
  if (says(object, "outcomes")) {
    cell.outcomes = outcomes_from(object.at("outcomes"));
  }
  for (const auto& row : object.at("combined")) {
    cell.combined.push_back({row.at("rule"), node_score_from(row.at("test")), unlabelled_from(row)});
  }
  for (const auto& row : object.at("by_degree")) {
    cell.by_degree.push_back(
        {row.at("degrees"), whole_from(row, "nodes"), group_from(row.at("before")), group_from(row.at("after"))});
  }
  const auto& curve = object.at("curve");
  for (std::size_t i = 0; i < curve.at("iteration").size(); ++i) {
    cell.curve.push_back(
        {curve.at("iteration").at(i), number_from(curve.at("loss").at(i)), number_from(curve.at("validation").at(i))});
  }
  cell.iterations = whole_from(object, "iterations");
  cell.seconds = number_from(object.at("seconds"));
  cell.backbone_seconds = number_from(object.at("backbone_seconds"));
  cell.peak_rss_mb = number_from(object.at("peak_rss_mb"));
  cell.path = object.at("path");
  cell.version = object.at("version");
  cell.settings = settings_from_json(object.at("settings"));
  expects(cell.chosen < cell.by_patches.size(), "cell: chose ", cell.chosen, " patches, expected at most ",
          cell.by_patches.size(), " - 1, which it has results for");
  for (std::size_t n = 0; n < cell.by_patches.size(); ++n) {
    expects(cell.by_patches[n].patches == n, "cell: expected results for 0, 1, 2, ... patches, got ",
            cell.by_patches[n].patches, " at position ", n);
  }
  return cell;
}

}  // namespace graphpatcher
