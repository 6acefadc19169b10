// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measurement.hpp"

/// Workloads: what is measured, by name. Files beside this folder hand theirs to a list, which gives each to Google
/// Benchmark, checks it, times it and keeps what came of it.
namespace bench {

/// How everything is run.
struct run_options {
  int threads = 1;
  bool quick = false;  ///< less time for each workload, and no long ones
  std::string data;    ///< folder of the datasets
  std::string filter;  ///< regular expression; only workloads whose name has a match
  bool turns = false;  ///< several programs take turns: wait_for_turn() before every repetition
};

/// A workload with its inputs at hand.
struct prepared_workload {
  amount size;
  std::function<void()> run;    ///< what is timed
  std::function<void()> check;  ///< called after one run; throws where the result is not that of a slow reference
};

struct workload {
  std::string name;                            ///< such as spmm/cora/w64
  std::function<prepared_workload()> prepare;  ///< called when its turn comes; throws missing_data where there is none
  bool slow = false;                           ///< takes seconds: fewer repetitions, left out of quick runs
};

/// The files of a dataset are not there: its workloads are skipped, the run goes on.
struct missing_data {
  std::string reason;
};

/// Thrown by a check: the result is wrong.
struct wrong_result {
  std::string what;
};

/// Says on standard output what this program is about to do, "turn NAME", and waits for a line on standard input.
/// bench/turns.py runs several programs side by side in this way, so that noise hits them alike.
void wait_for_turn(const std::string& name);

/// Runs every workload that the filter lets through, in order, and prints a line when one is done.
std::vector<measurement> run_all(const std::vector<workload>& workloads, const run_options& options,
                                 const limits& bound);

}  // namespace bench
