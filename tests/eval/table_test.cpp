// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/table.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "eval/sample_record.hpp"
#include "graphpatcher/eval/summary.hpp"

using namespace graphpatcher;

TEST_CASE("table of one seed, plain ASCII") {
  auto record = test::sample_record();
  record.runs.pop_back();
  const std::string table = text_table(record);
  CHECK(table == R"(cora, gcn, graphpatcher: test accuracy in percent (difference to 0 patches)
patches  low third      high third     all nodes
-------  -------------  -------------  -------------
0        70.00          90.00          80.00
1 *      72.00 (+2.00)  89.50 (-0.50)  81.00 (+1.00)
2        74.00 (+4.00)  89.00 (-1.00)  82.00 (+2.00)
* chosen on validation nodes
)");
  CHECK(std::ranges::all_of(table, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

TEST_CASE("notes of the runs stand below the table, each once") {
  auto record = test::sample_record();
  record.runs[0].notes = {"generic path: it was asked for"};
  record.runs[1].notes = {"generic path: it was asked for", "another"};
  CHECK(notes_of(record) == std::vector<std::string>{"generic path: it was asked for", "another"});
  const std::string table = text_table(record);
  CHECK(table.substr(table.find("deviation\n")) == "deviation\ngeneric path: it was asked for\nanother\n");
}

TEST_CASE("table of several seeds") {
  CHECK(text_table(test::sample_record()) ==
        R"(cora, gcn, graphpatcher: test accuracy in percent (difference to 0 patches)
patches  low third             high third            all nodes
-------  --------------------  --------------------  --------------------
0        72.00 ± 2.83          90.00 ± 0.00          80.00 ± 0.00
1 (1/2)  74.00 ± 2.83 (+2.00)  89.50 ± 0.00 (-0.50)  81.00 ± 0.00 (+1.00)
2 (1/2)  76.00 ± 2.83 (+4.00)  89.00 ± 0.00 (-1.00)  82.00 ± 0.00 (+2.00)
-------  --------------------  --------------------  --------------------
chosen   75.00 ± 4.24 (+3.00)  89.25 ± 0.35 (-0.75)  81.50 ± 0.71 (+1.50)
(k/2): chosen on validation nodes by k of 2 seeds; mean ± deviation
)");
}

TEST_CASE("what the rule answers stands in the last row, its verdict below the table") {
  auto record = test::sample_weighted_record();
  CHECK(text_table(record) ==
        R"(cora, gcn, graphpatcher: test accuracy in percent (difference to 0 patches)
patches   low third             high third            all nodes
--------  --------------------  --------------------  --------------------
0         72.00 ± 2.83          90.00 ± 0.00          80.00 ± 0.00
1         74.00 ± 2.83 (+2.00)  89.50 ± 0.00 (-0.50)  81.00 ± 0.00 (+1.00)
2         76.00 ± 2.83 (+4.00)  89.00 ± 0.00 (-1.00)  82.00 ± 0.00 (+2.00)
--------  --------------------  --------------------  --------------------
weighted  74.50 ± 0.71 (+2.50)  90.50 ± 0.71 (+0.50)  81.00 ± 1.41 (+1.00)
weighted on validation nodes, or the backbone alone; mean ± deviation
seed 1: the weighted answers (t = 4.25, needed 1.0; H = 0.62; 500 validation nodes)
seed 2: the backbone alone (t = 0.50, needed 1.0; H = 0.62; 500 validation nodes)
)");
  CHECK_THAT(markdown_table(record), Catch::Contains("| weighted | 74.50 ± 0.71 (+2.50)"));
  record.runs.erase(record.runs.begin());
  const auto one = text_table(record);
  CHECK(one.substr(one.find("verdict:")) ==
        R"(verdict: the backbone alone (t = 0.50, needed 1.0; H = 0.62; 500 validation nodes)
  0.750  own 3, spread over both
  0.250  backbone
warning: only 20 validation nodes: <thin>
)");
  CHECK_THAT(one, Catch::Contains("weighted  74.00 (0.00)"));
}

TEST_CASE("a method with one answer, and a given number of patches") {
  auto record = test::sample_record();
  record.method = "spread";
  for (auto& run : record.runs) {
    run.by_patches.resize(1);
    run.validation.clear();
    run.chosen = 0;
    run.answer = patch_result{0, 80, 90, 85, 80};
  }
  CHECK_THAT(text_table(record),
             Catch::Contains("spread   80.00 ± 0.00 (+8.00)") && Catch::EndsWith("mean ± deviation\n"));
  record.runs.pop_back();
  CHECK_THAT(text_table(record), Catch::EndsWith("85.00 (+5.00)\n"));
  record = test::sample_record();
  for (auto& run : record.runs) {
    run.rule = patch_rule::always;
    run.chosen = 2;
  }
  CHECK_THAT(text_table(record), Catch::EndsWith("2 patches for every node; mean ± deviation\n") &&
                                     !Catch::Contains("chosen") && !Catch::Contains("/2)"));
}

TEST_CASE("a table without numbers for the low third stays a table") {
  auto record = test::sample_record();
  for (auto& run : record.runs) {
    for (auto& row : run.by_patches) {
      row.low = undefined_metric;
    }
  }
  CHECK_THAT(text_table(record), Catch::Contains("n/a ± n/a (n/a)"));
}

TEST_CASE("Markdown") {
  auto record = test::sample_record();
  CHECK(markdown_table(record) == R"(| patches | low third | high third | all nodes | macro-F1 |
|---|---:|---:|---:|---:|
| 0 | 72.00 ± 2.83 | 90.00 ± 0.00 | 80.00 ± 0.00 | 75.50 ± 0.00 |
| 1 (1/2) | 74.00 ± 2.83 (+2.00) | 89.50 ± 0.00 (-0.50) | 81.00 ± 0.00 (+1.00) | 76.50 ± 0.00 (+1.00) |
| 2 (1/2) | 76.00 ± 2.83 (+4.00) | 89.00 ± 0.00 (-1.00) | 82.00 ± 0.00 (+2.00) | 77.50 ± 0.00 (+2.00) |
| chosen | 75.00 ± 4.24 (+3.00) | 89.25 ± 0.35 (-0.75) | 81.50 ± 0.71 (+1.50) | 77.00 ± 0.71 (+1.50) |

(k/2): chosen on validation nodes by k of 2 seeds; mean ± deviation
)");
  record.runs.pop_back();
  CHECK_THAT(markdown_table(record),
             Catch::Contains("| 1 \\* | 72.00 (+2.00)") && Catch::EndsWith("\\* chosen on validation nodes\n"));
}

TEST_CASE("width counts characters, not bytes") {
  CHECK(text_width("80.5 ± 0.3") == 10);
  CHECK(text_width("") == 0);
  CHECK(padded_text("±", 3) == "±  ");
}

TEST_CASE("no table of nothing") {
  CHECK_THROWS_AS(text_table(run_record{}), argument_error);
  CHECK_THROWS_AS(markdown_table(run_record{}), argument_error);
}
