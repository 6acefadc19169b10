// SPDX-License-Identifier: MIT
#include "goals.hpp"

#include "number_text.hpp"

namespace gpu_cost {

namespace {

double loss_of(const launch& each) {
  const totals sum = sum_of({each});
  return static_cast<double>(sum.sectors - sum.fewest_sectors);
}

/// The launch that wastes most sectors: where to look first.
const launch& most_wasteful(const measurement& what) {
  const launch* worst = &what.launches.front();
  for (const launch& each : what.launches) {
    worst = loss_of(each) > loss_of(*worst) ? &each : worst;
  }
  return *worst;
}

}  // namespace

std::vector<std::string> missed_goals(const measurement& what) {
  std::vector<std::string> missed;
  const std::string name = what.workload + " on " + what.graph + ": ";
  const totals sum = sum_of(what.launches);
  for (const goal& each : goals) {
    if (!what.workload.starts_with(each.workloads)) {
      continue;
    }
    if (what.launches.empty()) {
      missed.push_back(name + "expected launches to be counted, got none");
      continue;
    }
    if (sum.sector_efficiency() < each.sector_efficiency) {
      missed.push_back(name + "expected a sector efficiency of at least " + percent(each.sector_efficiency) + ", got " +
                       percent(sum.sector_efficiency()) + "; most is lost in " +
                       short_name(most_wasteful(what).kernel));
    }
    for (const launch& one : what.launches) {
      if (each.no_bank_conflicts && one.shared_conflict_ways > 0) {
        missed.push_back(name + "expected no bank conflicts, got " + std::to_string(one.shared_conflict_ways) +
                         " passes beyond the first in " + short_name(one.kernel));
      }
    }
  }
  return missed;
}

}  // namespace gpu_cost
