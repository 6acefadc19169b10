// SPDX-License-Identifier: MIT
#include "experiments/report/csv.hpp"

#include <algorithm>
#include <sstream>

#include <catch2/catch.hpp>

#include "experiments/sample_cells.hpp"

using namespace graphpatcher;
using Catch::Contains;

TEST_CASE("CSV has every mean in a row of its own") {
  const std::string csv = experiment_csv(test::sample_cells());
  CHECK_THAT(csv, Contains("cora,gcn,none,,0,test,low,accuracy,3,72.0000,2.0000,,,,,,,,,,,,73.27,0.01\n"));
  CHECK_THAT(csv, Contains("cora,gcn,graphpatcher,released,chosen,test,low,accuracy,3,74.0000,3.0000,2.0000,-0.4841,"
                           "4.4841,copy,1.0000,-0.2421,2.2421,copy,1.0000,-0.2421,2.2421,78.08,"));
  CHECK_THAT(csv, Contains("cora,gcn,copy,released,as graphpatcher,test,low,accuracy,3,73.0000,2.5000,1.0000,"));
  CHECK_THAT(csv, Contains("cora,gcn,graphpatcher,released,3,unlabelled,high,accuracy,3,87.5000,"));
  CHECK_THAT(csv, Contains("cora,gcn,graphpatcher,paper,mean of all,test,overall,accuracy,"));
  CHECK_THAT(csv, Contains(",test,low,\"accuracy, fractional ties\",3,74.2500,"));
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  CHECK(std::ranges::count(line, ',') == 23);
}

TEST_CASE("CSV quotes what needs it") {
  auto cells = test::sample_cells();
  for (auto& cell : cells) {
    cell.key.dataset = "a \"b\", c";
  }
  CHECK_THAT(experiment_csv(cells), Contains("\n\"a \"\"b\"\", c\",gcn,none,"));
}
