// SPDX-License-Identifier: MIT
#include "experiments/results/results_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "experiments/sample_cells.hpp"

using namespace graphpatcher;
using Catch::Contains;

namespace {

/// A folder that goes away with the test.
struct folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("gp_results_" + std::to_string(::getpid()));
  folder() { std::filesystem::remove_all(path); }
  ~folder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("results are kept, and found again") {
  const folder home;
  const auto path = home.path / "deep" / "cells.jsonl";
  {
    results_file file(path);
    for (const auto& cell : test::sample_cells()) {
      CHECK_FALSE(file.find(cell.key).has_value());
      file.add(cell);
      CHECK(file.find(cell.key).has_value());
    }
    file.add(test::sample_cells()[0]);  // again: it replaces the first
    CHECK(file.cells().size() == 18);
  }
  const results_file again(path);
  CHECK(again.cells().size() == 18);
  CHECK(read_cells(path).size() == 19);
  CHECK(again.find({"cora", "gcn", "graphpatcher", "paper", 3}).has_value());
  CHECK_FALSE(again.find({"cora", "gcn", "graphpatcher", "paper", 4}).has_value());
}

TEST_CASE("a last line that a crash cut off is left out, and cut off") {
  const folder home;
  const auto path = home.path / "cells.jsonl";
  const auto cells = test::sample_cells();
  {
    results_file file(path);
    file.add(cells[0]);
    file.add(cells[1]);
  }
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 10);
  CHECK(read_cells(path).size() == 1);
  results_file file(path);
  CHECK(file.cells().size() == 1);
  file.add(cells[2]);
  CHECK(read_cells(path).size() == 2);
}

TEST_CASE("a line that is no cell is an error that names it") {
  const folder home;
  const auto path = home.path / "cells.jsonl";
  results_file(path).add(test::sample_cells()[0]);
  std::ofstream(path, std::ios::app) << "\n{\"dataset\": 3}\n";
  CHECK_THROWS_AS(read_cells(path), file_error);
  CHECK_THROWS_WITH(read_cells(path), Contains("line 3 is not a result") && Contains("cells.jsonl"));
  CHECK_THROWS_AS(results_file(path), file_error);
  CHECK_THROWS_WITH(read_cells(home.path / "none"), Contains("can't be read"));
}

TEST_CASE("two threads add to one file") {
  const folder home;
  const auto path = home.path / "cells.jsonl";
  {
    results_file file(path);
    const auto add = [&](std::uint64_t first) {
      for (std::uint64_t seed = first; seed < first + 20; ++seed) {
        file.add(test::sample_cell("zero", "", seed, 1));
      }
    };
    std::thread one(add, 0), two(add, 100);
    one.join();
    two.join();
  }
  CHECK(read_cells(path).size() == 40);
}
