// SPDX-License-Identifier: MIT
#include "costs.hpp"

#include <algorithm>

namespace gpu_cost {

namespace {

void add(launch::memory& sum, const launch::memory& more) {
  sum.requests += more.requests;
  sum.bytes += more.bytes;
  sum.sectors += more.sectors;
  sum.fewest_sectors += more.fewest_sectors;
  sum.active_lanes += more.active_lanes;
}

/// Lanes times instructions that a launch occupied, whether the lanes had work or not.
double occupied(const launch& what) {
  return what.active_lane_share > 0 ? static_cast<double>(what.instructions) / what.active_lane_share : 0;
}

void add(launch& sum, const launch& more) {
  const double lanes = occupied(sum) + occupied(more);
  sum.threads += more.threads;
  sum.instructions += more.instructions;
  add(sum.global_load, more.global_load);
  add(sum.global_store, more.global_store);
  sum.shared_requests += more.shared_requests;
  sum.shared_conflict_ways += more.shared_conflict_ways;
  sum.atomic_requests += more.atomic_requests;
  sum.active_lane_share = lanes > 0 ? static_cast<double>(sum.instructions) / lanes : 0;
}

}  // namespace

totals sum_of(const std::vector<launch>& launches) {
  totals sum;
  for (const launch& each : launches) {
    sum.sectors += each.global_load.sectors + each.global_store.sectors;
    sum.fewest_sectors += each.global_load.fewest_sectors + each.global_store.fewest_sectors;
    sum.bank_conflicts += each.shared_conflict_ways;
  }
  return sum;
}

std::vector<launch> by_kernel(const std::vector<launch>& launches) {
  std::vector<launch> kernels;
  for (const launch& each : launches) {
    const auto same = std::find_if(kernels.begin(), kernels.end(), [&](const launch& known) {
      return short_name(known.kernel) == short_name(each.kernel);
    });
    if (same == kernels.end()) {
      kernels.push_back(each);
    } else {
      add(*same, each);
    }
  }
  return kernels;
}

double instructions_a_thread(const launch& what) {
  return what.threads == 0 ? 0.0 : static_cast<double>(what.instructions) / static_cast<double>(what.threads);
}

std::string short_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find_first_of("<("));
  const auto start = kernel.find_last_of(": ");
  return std::string(start == std::string_view::npos ? kernel : kernel.substr(start + 1));
}

}  // namespace gpu_cost
