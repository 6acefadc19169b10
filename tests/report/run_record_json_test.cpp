// SPDX-License-Identifier: MIT
#include "report/run_record_json.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "eval/sample_record.hpp"

using namespace graphpatcher;

namespace {

std::vector<std::string> keys(const record_json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) {
    names.push_back(name);
  }
  return names;
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("the keys of a record are public names") {
  const auto json = record_to_json(test::sample_record());
  CHECK(keys(json) == names{"dataset", "backbone", "method", "loss", "degree", "path", "version", "command", "settings",
                            "mean", "std", "runs"});
  for (const char* part : {"mean", "std"}) {
    CHECK(keys(json[part]) == names{"before", "after"});
    CHECK(keys(json[part]["before"]) == names{"low", "high", "overall"});
    CHECK(keys(json[part]["after"]) == names{"low", "high", "overall"});
  }
  REQUIRE(json["runs"].is_array());
  REQUIRE(json["runs"].size() == 2);
  const auto& run = json["runs"][1];
  CHECK(keys(run) == names{"seed", "chosen", "by_patches", "answer", "decision", "seconds", "iterations", "notes",
                           "peak_rss_mb", "validation", "by_degree", "curves", "backbone_curve"});
  CHECK(keys(run["seconds"]) == names{"backbone", "patcher", "patching"});
  REQUIRE(run["by_patches"].size() == 3);
  CHECK(keys(run["by_patches"][0]) == names{"patches", "low", "high", "overall", "macro_f1"});
  CHECK(keys(run["by_degree"][0]) == names{"degree", "nodes", "before", "after"});
  CHECK(keys(run["curves"]) == names{"iteration", "loss", "validation"});
  CHECK(keys(run["backbone_curve"]) == names{"iteration", "loss", "validation"});
}

TEST_CASE("what a run decided, under public names") {
  const auto validated = record_to_json(test::sample_record())["runs"][1];
  CHECK(validated["answer"].is_null());
  CHECK(validated["decision"] == record_json{{"rule", "validated"}, {"patches", 2}});
  const auto json = record_to_json(test::sample_weighted_record());
  const auto& run = json["runs"][0];
  CHECK(keys(run["answer"]) == names{"low", "high", "overall", "macro_f1"});
  CHECK(run["answer"]["high"] == 91.0);
  const auto& decision = run["decision"];
  CHECK(keys(decision) ==
        names{"rule", "verdict", "evidence", "needed", "agreement", "validation_nodes", "weights", "warnings"});
  CHECK(decision["rule"] == "weighted");
  CHECK(decision["verdict"] == "weighted");
  CHECK(decision["evidence"] == 4.25);
  CHECK(decision["weights"][0] == record_json{{"answer", "own 3, spread over both"}, {"weight", 0.75}});
  CHECK(json["runs"][1]["decision"]["verdict"] == "backbone");
  CHECK(json["runs"][1]["decision"]["warnings"][0] == "only 20 validation nodes: <thin>");
  CHECK(json["mean"]["after"]["low"] == 74.5);
  auto given = test::sample_record();
  given.runs.resize(1);
  given.runs[0].rule = patch_rule::always;
  CHECK(record_to_json(given)["runs"][0]["decision"] == record_json{{"rule", "always"}, {"patches", 1}});
  given.runs[0].answer = given.runs[0].before();
  given.runs[0].rule = patch_rule::validated;
  CHECK(record_to_json(given)["runs"][0]["decision"].is_null());  // a method with one answer
}

TEST_CASE("the values of a record") {
  const auto json = record_to_json(test::sample_record());
  CHECK(json["dataset"] == "cora");
  CHECK(json["version"] == version);
  CHECK(json["settings"]["hidden"] == 1024);
  CHECK(json["settings"]["learning_rate"] == 0.001);
  CHECK(json["settings"]["strengths"] == "0.9,0.6,0.3");
  CHECK(json["settings"]["quiet"] == false);
  CHECK(json["mean"]["before"]["low"] == 72.0);
  CHECK(json["mean"]["after"]["low"] == 75.0);
  CHECK(json["mean"]["after"]["overall"] == 81.5);
  CHECK(json["std"]["before"]["low"].get<double>() == Approx(std::sqrt(8.0)).epsilon(1e-14));
  CHECK(json["std"]["before"]["high"] == 0.0);
  const auto& run = json["runs"][0];
  CHECK(run["seed"] == 1);
  CHECK(run["chosen"] == 1);
  CHECK(run["by_patches"][2]["patches"] == 2);
  CHECK(run["by_patches"][2]["low"] == 74.0);
  CHECK(run["by_patches"][2]["macro_f1"] == 77.5);
  CHECK(run["seconds"]["patcher"] == 20.25);
  CHECK(run["iterations"] == 300);
  CHECK(run["peak_rss_mb"] == 128.5);
  CHECK(run["by_degree"][3]["degree"] == 40);
  CHECK(run["curves"]["iteration"] == record_json({100, 110, 120}));
}

TEST_CASE("one seed has std 0") {
  auto record = test::sample_record();
  record.runs.pop_back();
  const auto json = record_to_json(record);
  CHECK(json["std"]["before"]["low"] == 0.0);
  CHECK(json["std"]["after"]["overall"] == 0.0);
}

TEST_CASE("what is not finite becomes null, and the text stays JSON") {
  auto record = test::sample_record();
  record.runs[0].by_patches[0].low = undefined_metric;
  record.runs[0].peak_rss_mb = std::numeric_limits<double>::infinity();
  record.settings.set("threshold", -std::numeric_limits<double>::infinity());
  const auto json = nlohmann::json::parse(record_to_text(record));
  CHECK(json["runs"][0]["by_patches"][0]["low"].is_null());
  CHECK(json["runs"][0]["peak_rss_mb"].is_null());
  CHECK(json["runs"][0]["curves"]["validation"][1].is_null());
  CHECK(json["settings"]["threshold"].is_null());
  CHECK(json["mean"]["before"]["low"].is_null());
  CHECK(json["mean"]["before"]["high"] == 90.0);
}

TEST_CASE("names that are not UTF-8 do not spoil the file") {
  auto record = test::sample_record();
  record.dataset = "bad\xFF\"name\"\n";
  const auto json = nlohmann::json::parse(record_to_text(record));
  CHECK(json["dataset"] == "bad\xEF\xBF\xBD\"name\"\n");
}

TEST_CASE("a record that can't be written says why") {
  const auto missing = std::filesystem::temp_directory_path() / "graphpatcher_no_such_directory" / "result.json";
  CHECK_THROWS_AS(write_json(test::sample_record(), missing), file_error);
  CHECK_THROWS_WITH(write_json(test::sample_record(), missing), Catch::Contains("graphpatcher_no_such_directory"));
  CHECK_THROWS_AS(record_to_json(run_record{}), argument_error);
}
