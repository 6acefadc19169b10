// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

/// What the machine is and what it can do at most, measured where the benchmarks run.
namespace bench {

struct machine {
  std::string cpu;       ///< as the system names it
  int cores = 0;         ///< that the system offers
  std::string compiler;  ///< and its version
  std::string flags;     ///< of the benchmarks
};

machine this_machine();

/// What the machine can keep up with this many threads, as workloads are timed: medians.
struct limits {
  int threads = 1;
  double fma_peak_gflops = 0;  ///< single precision, two operations a fused multiply-add
  double fma_best_gflops = 0;  ///< the same in the luckiest run
  double read_gbps = 0;        ///< from memory, 1e9 bytes a second

  /// The least seconds that a workload of so many operations and bytes can take.
  double seconds(double flops, double bytes) const;
};

/// Fused multiply-adds on registers only, operations a second: the median of several runs, and the best.
struct fma_peak {
  double median;
  double best;
};
fma_peak measure_fma_peak(int threads);

/// Sums an array four times as large as the last-level cache, at least 256 MB.
double measure_read_bandwidth(int threads);

inline limits measure_limits(int threads) {
  const fma_peak peak = measure_fma_peak(threads);
  return {threads, peak.median / 1e9, peak.best / 1e9, measure_read_bandwidth(threads) / 1e9};
}

}  // namespace bench
