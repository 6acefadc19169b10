// SPDX-License-Identifier: MIT
// Writes the report of a small made-up experiment, for a browser to read: write_report DIRECTORY
#include <exception>
#include <iostream>

#include "experiments/report/report.hpp"
#include "experiments/sample_cells.hpp"

int main(int argc, char** argv) {
  using namespace graphpatcher;
  if (argc != 2) {
    std::cerr << "usage: write_report DIRECTORY\n";
    return 2;
  }
  try {
    std::vector<cell_result> cells;
    for (const char* dataset : {"cora", "citeseer", "amazon-photo", "a dataset <with> a long & odd name"}) {
      for (const char* backbone : {"gcn", "sage", "gat"}) {
        for (auto& list : {test::sample_cells(), test::sample_changes()}) {
          for (auto cell : list) {
            cell.key.dataset = dataset;
            cell.key.backbone = backbone;
            cells.push_back(cell);
          }
        }
      }
    }
    write_experiment_report(argv[1], cells, {"A made-up experiment", "experiments --seeds 3 --out results"});
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << "\n";
    return 1;
  }
}
