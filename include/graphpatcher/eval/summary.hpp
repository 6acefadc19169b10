// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graphpatcher/eval/run_record.hpp"
#include "graphpatcher/eval/statistics.hpp"

/// What a record says over all its seeds: the numbers behind table, JSON and
/// report, computed in one place: functions of graphpatcher::io.
namespace graphpatcher {

/// Mean and deviation over seeds of one row of results.
struct result_statistics {
  statistics low;
  statistics high;
  statistics overall;
  statistics macro_f1;
};

/// The backbone alone, and what each seed answers: with the number of patches it chose, or as the rule weighs.
struct record_summary {
  result_statistics before;
  result_statistics after;
};

/// Results with n patches, and how many seeds chose that n.
struct patch_summary {
  std::size_t patches = 0;
  std::size_t chosen_by = 0;
  result_statistics results;
};

/// Test nodes whose degree falls into one interval.
struct degree_bin {
  std::string label;  ///< "3", "4-5", "11+"
  double nodes = 0;   ///< mean number a seed
  double before = undefined_metric;
  double after = undefined_metric;
  std::vector<double> differences{};  ///< after - before, of each seed that has such nodes
};

record_summary summarise(const run_record& record);

/// One entry for each number of patches, 0 first.
std::vector<patch_summary> summarise_patches(const run_record& record);

/// Accuracy by degree in the intervals 0, 1, 2, 3, 4-5, 6-10, 11+, every node
/// of every seed with the same weight; intervals without nodes are left out.
std::vector<degree_bin> bin_by_degree(const run_record& record);

/// The notes of all runs, each once.
std::vector<std::string> notes_of(const run_record& record);

}  // namespace graphpatcher
