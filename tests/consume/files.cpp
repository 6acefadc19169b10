// SPDX-License-Identifier: MIT
// A program that uses the library of files: a record to JSON and back.
#include <cstdio>
#include <graphpatcher/graphpatcher.hpp>

namespace gp = graphpatcher;

int main() {
  gp::run_record record;
  record.dataset = "a path of three";
  record.runs.push_back({.by_patches = {{.patches = 0, .low = 50, .high = 75, .overall = 60, .macro_f1 = 55}}});
  const auto back = gp::record_from_text(gp::record_to_text(record));
  if (back.dataset != record.dataset || back.runs.front().by_patches.front().high != 75) {
    return 1;
  }
  std::printf("graphpatcher %s works\n", gp::version);
}
