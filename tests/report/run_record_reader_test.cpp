// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/report.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include <unistd.h>

#include <catch2/catch.hpp>

#include "eval/sample_record.hpp"
#include "report/run_record_json.hpp"

using namespace graphpatcher;

namespace {

record_json sample_json() {
  return record_to_json(test::sample_record());
}

run_record read(const record_json& json) {
  return record_from_text(json.dump(), "result.json");
}

}  // namespace

TEST_CASE("a record survives the way to a file and back") {
  auto record = test::sample_record();
  record.dataset = "a <b> \"c\" \xC3\xA9";
  record.runs[0].seed = std::numeric_limits<std::uint64_t>::max();
  record.runs[0].by_patches[1].low = 1.0 / 3;
  record.runs[1].notes = {"generic path: it was asked for", "a <note>"};
  const auto path =
      std::filesystem::temp_directory_path() / ("graphpatcher_record_" + std::to_string(::getpid()) + ".json");
  write_json(record, path);
  const auto back = read_json(path);
  std::filesystem::remove(path);

  CHECK(back.dataset == record.dataset);
  CHECK(back.method == "graphpatcher");
  CHECK(back.command == record.command);
  CHECK(back.settings == record.settings);
  REQUIRE(back.runs.size() == 2);
  CHECK(back.runs[0].seed == record.runs[0].seed);
  CHECK(back.runs[0].by_patches[1].low == 1.0 / 3);
  CHECK(back.runs[1].chosen == 2);
  CHECK(back.runs[0].notes.empty());
  CHECK(back.runs[1].notes == record.runs[1].notes);
  CHECK(back.runs[0].seconds.patching == 0.75);
  CHECK(back.runs[0].by_degree[3].degree == 40);
  CHECK(back.runs[0].by_degree[3].after == 88.0);
  CHECK(back.runs[0].curves[2].iteration == 120);
  CHECK(std::isnan(back.runs[0].curves[1].validation));
  CHECK(back.runs[0].backbone_curve[1].loss == 1.1);
  CHECK(record_to_text(back) == record_to_text(record));
}

TEST_CASE("decisions survive the way to text and back") {
  auto record = test::sample_weighted_record();
  const auto back = record_from_text(record_to_text(record));
  CHECK(back.runs[0].rule == patch_rule::weighted);
  CHECK(back.runs[0].decision == record.runs[0].decision);
  CHECK(back.runs[1].decision == record.runs[1].decision);
  CHECK(back.runs[0].after().low == 75);
  CHECK(record_to_text(back) == record_to_text(record));
  record = test::sample_record();
  record.runs[0].rule = record.runs[1].rule = patch_rule::always;
  CHECK(record_from_text(record_to_text(record)).runs[0].rule == patch_rule::always);

  auto json = record_to_json(test::sample_weighted_record());
  json["runs"][0]["decision"]["rule"] = "magic";
  CHECK_THROWS_WITH(read(json),
                    Catch::Contains("runs[0].decision.rule: expected weighted, validated or always, got 'magic'"));
  json = record_to_json(test::sample_weighted_record());
  json["runs"][0]["decision"]["verdict"] = "maybe";
  CHECK_THROWS_WITH(read(json), Catch::Contains("decision.verdict: expected weighted or backbone"));
  json = record_to_json(test::sample_weighted_record());
  json["runs"][0]["answer"] = nullptr;
  CHECK_THROWS_WITH(read(json), Catch::Contains("expected a decision and an answer with the rule weighted"));
  json["runs"][0].erase("decision");
  CHECK_THROWS_WITH(read(json), Catch::Contains("doesn't agree"));
}

TEST_CASE("only the named keys are needed; unknown ones are ignored") {
  auto json = sample_json();
  json["runs"][0].erase("notes");  // records of before have none
  for (const char* key : {"command", "settings", "mean", "std"}) {
    json.erase(key);
  }
  json["note"] = {{"more", 1}};
  for (const char* key : {"validation", "by_degree", "curves", "backbone_curve"}) {
    json["runs"][0].erase(key);
  }
  const auto record = read(json);
  CHECK(record.settings.empty());
  CHECK(record.runs[0].curves.empty());
  CHECK(record.runs[0].by_patches.size() == 3);
}

TEST_CASE("settings under their names of before are read as those of today") {
  auto json = sample_json();
  json["settings"] = {{"learning rate", 0.25}, {"patch edge", "to_anchor"},      {"warm-up", 7},
                      {"similar nodes", 20},   {"weight of similar nodes", 1.0}, {"spread over", "both"},
                      {"device", "cpu"}};
  std::vector<std::string> names;
  const auto record = read(json);
  for (const auto& [name, value] : record.settings.entries()) {
    names.push_back(name);
  }
  CHECK(names == std::vector<std::string>{"learning_rate", "edge", "warmup", "spread_similar", "spread_weight",
                                          "spread_over", "device"});
}

TEST_CASE("text that is not JSON names the byte") {
  const std::string text = record_to_text(test::sample_record());
  CHECK_THROWS_AS(record_from_text(text.substr(0, text.size() / 2)), format_error);
  CHECK_THROWS_AS(record_from_text(""), format_error);
  CHECK_THROWS_AS(record_from_text(std::string(100000, '[')), format_error);
  try {
    record_from_text("{\"dataset\": nope}", "result.json");
    FAIL("expected an error");
  } catch (const format_error& problem) {
    CHECK(problem.path() == "result.json");
    CHECK(problem.offset() == 14);
  }
}

TEST_CASE("any cut of the text is a typed error") {
  const std::string text = record_to_text(test::sample_record());
  for (std::size_t length = 0; length + 2 < text.size(); length += 97) {
    CHECK_THROWS_AS(record_from_text(text.substr(0, length)), format_error);
  }
}

TEST_CASE("a wrong value names its place") {
  auto json = sample_json();
  SECTION("missing key") {
    json.erase("loss");
    CHECK_THROWS_WITH(read(json), "result.json: expected the key 'loss', which is missing");
  }
  SECTION("missing key of a run") {
    json["runs"][1]["seconds"].erase("patcher");
    CHECK_THROWS_WITH(read(json), Catch::Contains("runs[1].seconds: expected the key 'patcher'"));
  }
  SECTION("wrong type") {
    json["runs"][1]["chosen"] = "two";
    CHECK_THROWS_WITH(read(json),
                      Catch::Contains("runs[1].chosen: expected a whole number that is not negative, got string"));
  }
  SECTION("negative and broken counts") {
    json["runs"][0]["seed"] = -1;
    CHECK_THROWS_AS(read(json), file_error);
    json["runs"][0]["seed"] = 1.5;
    CHECK_THROWS_AS(read(json), file_error);
  }
  SECTION("a list that is none") {
    json["runs"] = {{"seed", 1}};
    CHECK_THROWS_WITH(read(json), Catch::Contains("runs: expected a list, got object"));
  }
  SECTION("an object that is none") {
    json["runs"][0]["by_patches"][1] = 7;
    CHECK_THROWS_WITH(read(json), Catch::Contains("runs[0].by_patches[1]: expected an object, got number"));
    CHECK_THROWS_AS(record_from_text("[]"), file_error);
  }
  SECTION("curves of different lengths") {
    json["runs"][0]["curves"]["loss"].push_back(1);
    CHECK_THROWS_WITH(read(json),
                      Catch::Contains("runs[0].curves: expected three lists of the same length, got 3, 4 and 3"));
  }
  SECTION("a setting that is a list") {
    json["settings"]["strengths"] = {0.9, 0.6};
    CHECK_THROWS_WITH(read(json), Catch::Contains("settings.strengths: expected a number or null, got array"));
  }
  SECTION("a choice that was not tried") {
    json["runs"][0]["chosen"] = 9;
    CHECK_THROWS_WITH(read(json), Catch::Contains("chose 9 patches, expected at most 2"));
    CHECK_THROWS_AS(read(json), file_error);
  }
  SECTION("anything behind a zero byte, where the parser would stop") {
    const std::string whole = json.dump();
    CHECK_THROWS_AS(record_from_text(whole + std::string(1, '\0') + "more"), format_error);
    CHECK_THROWS_WITH(record_from_text(whole + std::string(1, '\0')), Catch::Contains("got a zero byte"));
    CHECK_NOTHROW(record_from_text("\xEF\xBB\xBF" + whole));
  }
  SECTION("a number too large for a double") {
    CHECK_THROWS_AS(record_from_text("{\"dataset\": 1e999}"), file_error);
  }
}

TEST_CASE("files that can't be read") {
  const auto directory = std::filesystem::temp_directory_path();
  CHECK_THROWS_AS(read_json(directory / "graphpatcher_no_such_file.json"), file_error);
  CHECK_THROWS_WITH(read_json(directory / "graphpatcher_no_such_file.json"), Catch::Contains("no such file"));
  CHECK_THROWS_AS(read_json(directory), file_error);
}
