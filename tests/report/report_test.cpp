// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/report.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

#include <catch2/catch.hpp>

#include "eval/sample_record.hpp"
#include "report/html_checker.hpp"

using namespace graphpatcher;
using Catch::Contains;
using test::count_of;
using test::html_problem;

TEST_CASE("a report is a well-formed page that needs nothing else") {
  const std::string page = html_report(test::sample_record());
  CHECK(html_problem(page) == "");
  for (const char* outside : {"http", "<script", "<link", "<img", "<iframe", "@import", "url(", "src=", "href="}) {
    INFO(outside);
    CHECK(count_of(page, outside) == 0);
  }
  CHECK(count_of(page, "<h1>") == 1);
  CHECK_THAT(page, Contains("<html lang=\"en\">") && Contains("charset=\"utf-8\"") && Contains("name=\"viewport\""));
  CHECK_THAT(page, Contains("prefers-color-scheme: dark"));
}

TEST_CASE("a report shows its numbers") {
  const std::string page = html_report(test::sample_record());
  CHECK_THAT(page, Contains("cora: gcn with graphpatcher"));
  CHECK_THAT(page, Contains("goes from 72.00 to 75.00 %, and on all test nodes from 80.00 to 81.50 %"));
  CHECK_THAT(page, Contains("75.00<small> % ± 4.24</small>"));
  // Seeds gain 2 and 4 points, lose 0.5 and 1: with two of them that may be chance. One patch is 2 up in both.
  CHECK_THAT(page, Contains("<span class=\"change same\">▲ +3.00</span>"));
  CHECK_THAT(page, Contains("<span class=\"change same\">▼ −0.75</span>"));
  CHECK_THAT(page, Contains("<span class=\"change gain\">▲ +2.00</span>"));
  CHECK_THAT(page, Contains("<span class=\"change loss\">▼ −0.50</span>"));
  CHECK_THAT(page, Contains("where its 95 % interval over seeds, paired, leaves out zero"));
  CHECK_THAT(page, Contains("degree 0, 10 nodes: 50.00 % before, 60.00 % after (+10.00)"));
  CHECK_THAT(page, Contains("degree 11+, 5 nodes: 90.00 % before, 88.00 % after (-2.00)"));
  CHECK_THAT(page, Contains("low third, patches 2: 76.00 ± 2.83 %"));
  CHECK_THAT(page, Contains("seed 2, iteration 120: 80.00 %"));
  CHECK_THAT(page, Contains("seed 1, epoch 2: 1.10"));
  CHECK_THAT(page,
             Contains("<dt>strengths</dt><dd>0.9,0.6,0.3</dd>") && Contains("<dt>learning_rate</dt><dd>0.001</dd>"));
  CHECK_THAT(page, Contains("<span>--dataset</span> <span>cora</span> <span>--seeds</span> <span>2</span>"));
  CHECK_THAT(page, Contains(std::string("version <b>") + version + "</b>"));
  CHECK(count_of(page, "<figure") == 6);
  CHECK(count_of(page, "role=\"img\"") == 6);
  CHECK(count_of(page, "<desc>") == 6);
}

TEST_CASE("names can't break the page") {
  auto record = test::sample_record();
  const std::string nasty = "</style><script>alert(\"1\")</script> & 'x' <b>";
  record.dataset = record.backbone = record.method = record.loss = record.degree = record.path = record.version =
      record.command = nasty;
  record.settings.set(nasty, nasty);
  const std::string page = html_report(record);
  CHECK(html_problem(page) == "");
  CHECK(count_of(page, "<script") == 0);
  CHECK(count_of(page, "</style>") == 1);
  CHECK_THAT(page, Contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; &lt;b&gt;"));
}

TEST_CASE("a report of the rule shows verdict, evidence, agreement, weights and warnings") {
  auto record = test::sample_weighted_record();
  const std::string page = html_report(record);
  CHECK(html_problem(page) == "");
  CHECK_THAT(page, Contains("What the rule decided") && Contains("backbone alone") &&
                       Contains("own 3, spread over both") && Contains("0.750") &&
                       Contains("only 20 validation nodes: &lt;thin&gt;") &&
                       Contains("cora: gcn with graphpatcher, weighted"));
  CHECK_THAT(page, Contains("the rule weighed all answers in 1 of them, and left the backbone alone in 1"));
  CHECK_THAT(page, !Contains("was chosen on validation nodes") && !Contains("chosen by"));
  record.runs.pop_back();
  CHECK_THAT(html_report(record), Contains("One seed; the rule weighed all answers."));
  record = test::sample_record();
  CHECK_THAT(html_report(record), !Contains("What the rule decided"));
  for (auto& run : record.runs) {
    run.rule = patch_rule::always;
    run.chosen = 2;
  }
  CHECK_THAT(html_report(record), Contains("every node has 2 patches") && !Contains("chosen by") &&
                                      !Contains("chosen on") && !Contains("as chosen"));
}

TEST_CASE("a report of one seed") {
  auto record = test::sample_record();
  record.runs.pop_back();
  const std::string page = html_report(record);
  CHECK(html_problem(page) == "");
  CHECK_THAT(page, Contains("One seed; the number of patches, 1, was chosen on validation nodes."));
  CHECK_THAT(page, Contains("<tr class=\"picked\"><th scope=\"row\">1 <small>chosen</small></th>"));
  CHECK(count_of(page, " ± ") == 0);
  CHECK(count_of(page, "class=\"band") == 0);
}

TEST_CASE("a report has colour only where the interval leaves out zero") {
  auto record = test::sample_record();
  // As chosen, the low third of four seeds gains 3, 3, 3 and x: by hand, t = 3.182 for three degrees of freedom.
  const auto card_of = [&](double x) {
    record.runs.clear();
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      record.runs.push_back(test::sample_run(seed, 1, 70));
      record.runs.back().by_patches[1].low = 70 + (seed < 4 ? 3 : x);
      record.runs.back().by_degree[0].after = 50 + (seed < 4 ? 3 : x);
    }
    const std::string page = html_report(record);
    return page.substr(page.find("<h3>Low third by degree"), 400);
  };
  CHECK_THAT(card_of(0), !Contains("change gain"));   // mean 2.25, half 3.182 * 1.5 / 2 = 2.39
  CHECK_THAT(card_of(0.2), Contains("change gain"));  // mean 2.3, half 3.182 * 1.4 / 2 = 2.23
  const auto dots_of = [&] {
    const std::string page = html_report(record);
    const auto begin = page.find("Accuracy by degree");
    return page.substr(begin, page.find("</figure>", begin) - begin);
  };
  const auto dots = [&] { return count_of(dots_of(), "mark c-gain"); };
  const auto sure = dots();  // the one of the legend, the first bin, and that of degree 1, which gains 2 in every seed
  CHECK(sure == 3);
  card_of(0);
  CHECK(dots() == 2);

  record.runs.resize(1);  // one seed has no interval
  const std::string page = html_report(record);
  CHECK(count_of(page, "class=\"change gain") + count_of(page, "class=\"change loss") == 0);
  CHECK_THAT(page, Contains("with one seed nobody knows how much of it is chance"));
}

TEST_CASE("a report says how large the graph is") {
  auto record = test::sample_record();
  CHECK_THAT(html_report(record), !Contains("nodes <b>"));
  record.settings.set("nodes", 2708);
  record.settings.set("edges", 5278);
  record.settings.set("classes", 7);
  CHECK_THAT(html_report(record),
             Contains("nodes <b>2708</b>") && Contains("edges <b>5278</b>") && Contains("classes <b>7</b>"));
}

TEST_CASE("a report says what a reader should know of how it was computed, once") {
  auto record = test::sample_record();
  record.runs[0].notes = record.runs[1].notes = {"generic path: <it> was asked for"};
  const std::string page = html_report(record);
  CHECK(html_problem(page) == "");
  CHECK(count_of(page, "generic path: &lt;it&gt; was asked for") == 1);
}

TEST_CASE("a report of a method without patches, curves or settings") {
  run_record record;
  record.dataset = "citeseer";
  record.method = "gcn";
  record.runs.resize(1);
  record.runs[0].by_patches = {{0, 60, 75, 70, 66}};
  const std::string page = html_report(record);
  CHECK(html_problem(page) == "");
  CHECK_THAT(page, Contains("Accuracy is 60.00 % on the third") && Contains("citeseer: gcn"));
  CHECK(count_of(page, "<figure") == 0);
  CHECK(count_of(page, "class=\"change") == 3);  // the row of the run: after equals before
  CHECK(count_of(page, "How to reproduce") == 0);
}

TEST_CASE("undefined numbers are n/a, never in a drawing") {
  auto record = test::sample_record();
  for (auto& run : record.runs) {
    for (auto& row : run.by_patches) {
      row.low = undefined_metric;
    }
    run.by_degree[0].after = undefined_metric;
    run.peak_rss_mb = undefined_metric;
  }
  const std::string page = html_report(record);
  CHECK(html_problem(page) == "");
  CHECK_THAT(page, Contains("n/a"));
  CHECK(count_of(page, "nan") == 0);
  for (const char* attribute : {" d=\"", " x=\"", " y=\"", " y1=\"", " y2=\""}) {
    for (std::size_t at = page.find(attribute); at != std::string::npos; at = page.find(attribute, at + 1)) {
      const auto begin = page.find('"', at) + 1;
      CHECK(page.substr(begin, page.find('"', begin) - begin).find("n/a") == std::string::npos);
    }
  }
}

TEST_CASE("writing a report") {
  const auto directory = std::filesystem::temp_directory_path();
  const auto path = directory / ("graphpatcher_report_" + std::to_string(::getpid()) + ".html");
  write_html(test::sample_record(), path);
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::filesystem::remove(path);
  CHECK(content == html_report(test::sample_record()));

  CHECK_THROWS_AS(write_html(test::sample_record(), directory / "graphpatcher_no_such_directory" / "a.html"),
                  file_error);
  CHECK_THROWS_WITH(write_html(test::sample_record(), directory / "graphpatcher_no_such_directory" / "a.html"),
                    Contains("graphpatcher_no_such_directory"));
  CHECK_THROWS_AS(html_report(run_record{}), argument_error);
}
