// SPDX-License-Identifier: MIT
#include "experiments/report/report.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "experiments/report/csv.hpp"
#include "experiments/sample_cells.hpp"
#include "report/html_checker.hpp"

using namespace graphpatcher;
using Catch::Contains;
using test::count_of;
using test::html_problem;

namespace {

const report_text about{"Seven datasets", "experiments --seeds 3"};

std::vector<cell_result> all_cells() {
  auto cells = test::sample_cells();
  for (const auto& cell : test::sample_changes()) {
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace

TEST_CASE("the page is well-formed and needs nothing else") {
  const std::string page = experiment_html(all_cells(), about);
  CHECK(html_problem(page) == "");
  for (const char* outside : {"http", "<script", "<link", "<img", "<iframe", "@import", "url(", "src="}) {
    INFO(outside);
    CHECK(count_of(page, outside) == 0);
  }
  CHECK(count_of(page, "href=") == count_of(page, "href=\"#"));
  for (std::size_t at = page.find("href=\"#"); at != std::string::npos; at = page.find("href=\"#", at + 1)) {
    const auto begin = at + 7;
    const std::string id = page.substr(begin, page.find('"', begin) - begin);
    INFO(id);
    CHECK(count_of(page, "<section id=\"" + id + "\">") == 1);
  }
  CHECK(count_of(page, "<h1>") == 1);
  CHECK(count_of(page, "role=\"img\"") == count_of(page, "<figure"));
  CHECK(count_of(page, "<details class=\"numbers\">") == count_of(page, "<figure"));
}

TEST_CASE("page and Markdown show the same numbers") {
  const std::string page = experiment_html(all_cells(), about);
  const std::string markdown = experiment_markdown(all_cells(), about);
  CHECK_THAT(page, Contains("changes accuracy by +2.00 points (may be noise)"));
  CHECK_THAT(markdown, Contains("changes accuracy by +2.00 points (may be noise)"));
  for (const char* words :
       {"Seven datasets", "At a glance", "Table 1: lower third", "Table 1: all test nodes", "ColdBrew (paper only)",
        "paper 73.27, -1.27", "Controls beside GraphPatcher, released", "The same gains read differently",
        "Log-likelihood and calibration", "mean of all", "Accuracy by degree", "Accuracy by number of patches",
        "Training: loss", "samples of the corruption (L)", "paper estimator=exact", "strengths", "GCN: presets side",
        "How to reproduce"}) {
    INFO(words);
    CHECK(count_of(page, words) > 0);
    CHECK((count_of(markdown, words) > 0));
  }
  CHECK_THAT(page, Contains("<span>experiments</span> <span>--seeds</span>"));
  CHECK_THAT(markdown, Contains("~~~~\nexperiments --seeds 3\n~~~~"));
}

TEST_CASE("a mean over pairs has a coloured ground only where its interval leaves out zero") {
  const std::string noise = experiment_html(all_cells(), about);
  CHECK_THAT(noise, Contains("<span class=\"change gain unsure\">▲ +2.00</span><small> points</small>"));
  CHECK_THAT(noise, Contains("[-0.48, +4.48]; may be noise") && Contains("released: one pair of dataset"));
  auto cells = all_cells();
  for (auto& cell : test::sample_cells()) {
    cell.key.dataset = "pubmed";
    cells.push_back(cell);
  }
  const std::string both = experiment_html(cells, about);
  // Each error is 1 / sqrt(3), of the mean sqrt(2 / 3) / 2, with 4 degrees of freedom: 2 -+ 2.776 * 0.408.
  CHECK_THAT(both, Contains("<span class=\"change gain\">▲ +2.00</span><small> points</small>"));
  CHECK_THAT(both, Contains("[+0.87, +3.13]; clearly up on 0 of 2, down on 0") && Contains("mean over 2 pairs"));
}

TEST_CASE("Markdown folds what the page folds") {
  const std::string page = experiment_html(all_cells(), about);
  const std::string markdown = experiment_markdown(all_cells(), about);
  CHECK_THAT(markdown,
             Contains("<details open><summary>Table 1: lower third of the test nodes by degree</summary>\n\n"));
  CHECK(count_of(markdown, "### Table 1") == 0);
  CHECK(count_of(markdown, "<details open>") == count_of(page, "<details class=\"fold\" open=\"open\">"));
  CHECK(count_of(markdown, "<details") == count_of(page, "<details class=\"fold\""));
  CHECK(count_of(markdown, "\n</details>\n\n") == count_of(markdown, "<details"));
  auto cells = all_cells();
  for (auto& cell : cells) {
    cell.key.dataset = "</details><b>";
  }
  CHECK(count_of(experiment_markdown(cells, about), "<b>") == 0);
}

TEST_CASE("names can't break the page of an experiment") {
  auto cells = all_cells();
  const std::string nasty = "</style><script>alert(\"1\")</script> & 'x' <b>";
  for (auto& cell : cells) {
    cell.key.dataset = cell.key.backbone = cell.version = cell.path = nasty;
    cell.key.setting += cell.key.method == "graphpatcher" ? nasty : "";
    cell.settings.set(nasty, nasty);
    for (auto& row : cell.combined) {
      row.rule = nasty;
    }
    for (auto& row : cell.by_degree) {
      row.degrees = nasty;
    }
  }
  const std::string page = experiment_html(cells, {nasty, nasty});
  CHECK(html_problem(page) == "");
  CHECK(count_of(page, "<script") == 0);
  CHECK(count_of(page, "</style>") == 1);
}

TEST_CASE("one seed, only a backbone, undefined numbers") {
  std::vector<cell_result> one{test::sample_cell("none", "", 1, 0), test::sample_patcher("released", 1, 1)};
  const std::string page = experiment_html(one, about);
  CHECK(html_problem(page) == "");
  CHECK_THAT(page, Contains("one seed"));
  CHECK(count_of(page, "nan") == 0);

  std::vector<cell_result> alone{test::sample_cell("none", "", 1, 0)};
  CHECK(html_problem(experiment_html(alone, {"", ""})) == "");
  CHECK_THAT(experiment_markdown(alone, about), Contains("No cell of GraphPatcher is finished yet."));
  CHECK_THAT(experiment_text(alone), Contains("No cell of GraphPatcher is finished yet."));

  auto cells = all_cells();
  for (auto& cell : cells) {
    for (auto& row : cell.by_patches) {
      row.test.low = {};
      row.test.high.calibration = undefined_metric;
    }
    cell.by_degree.clear();
  }
  const std::string undefined = experiment_html(cells, about);
  CHECK(html_problem(undefined) == "");
  CHECK(count_of(undefined, "nan") == 0);
}

TEST_CASE("the text fits 100 columns") {
  auto cells = all_cells();
  for (auto& cell : cells) {
    cell.key.dataset = "a-dataset-with-a-long-name";
    cell.key.backbone = "a-long-backbone";
  }
  const std::string text = experiment_text(cells);
  CHECK_THAT(text, Contains("+2.00 [-0.5, 4.5]") && Contains("+1.00 [-0.2, 2.2] copy"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("writing a report of an experiment") {
  const auto directory = std::filesystem::temp_directory_path() / ("gp_experiment_" + std::to_string(::getpid()));
  write_experiment_report(directory / "deep", all_cells(), about);
  const auto content = [&](const char* name) {
    std::ifstream file(directory / "deep" / name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  };
  CHECK(content("report.html") == experiment_html(all_cells(), about));
  CHECK(content("results.md") == experiment_markdown(all_cells(), about));
  CHECK(content("results.csv") == experiment_csv(all_cells()));
  CHECK_THROWS_AS(write_experiment_report(directory / "deep" / "report.html" / "x", all_cells(), about), file_error);
  CHECK_THROWS_AS(write_experiment_report(directory / "none", {}, about), argument_error);
  CHECK_FALSE(std::filesystem::exists(directory / "none"));
  std::filesystem::remove_all(directory);
}
