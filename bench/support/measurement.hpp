// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "machine.hpp"

namespace bench {

/// How much there is to do in one run of a workload. Bytes are those that must come from or go to memory at least once:
/// every input read once, every output written once.
struct amount {
  double flops = 0;
  double bytes = 0;
  double items = 1;             ///< what the rate counts
  std::string unit = "runs/s";  ///< of the rate
};

/// What came of one workload.
struct measurement {
  std::string workload;
  amount size;
  std::vector<double> seconds;  ///< of each run
  std::string error;            ///< why the result is wrong or the run broke off
  std::string skipped;          ///< why it was not run

  double median() const;
  double least() const;
  double rate() const { return size.items / median(); }
  /// The least time this machine could need over the time it took. Above 1 where the data stay in a cache.
  double share_of_limit(const limits& bound) const { return bound.seconds(size.flops, size.bytes) / median(); }
};

/// The middle value, or the mean of both in the middle; NaN of none.
double median_of(std::vector<double> values);

/// {machine, threads, fma_peak_gflops, read_gbps, results: [..]}: bench/README.md has the fields.
nlohmann::ordered_json to_json(const machine& where, const limits& bound, const std::vector<measurement>& results);

}  // namespace bench
