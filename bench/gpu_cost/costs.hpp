// SPDX-License-Identifier: MIT
// What the launches of a workload did, added up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine.hpp"

namespace gpu_cost {

using launch = gpu_host::launch_costs;

inline constexpr std::uint64_t sector_bytes = 32;

/// `fewest` / `touched`: 1 if every sector that was moved was needed, and if nothing was moved.
constexpr double efficiency(std::uint64_t fewest, std::uint64_t touched) {
  return touched == 0 ? 1.0 : static_cast<double>(fewest) / static_cast<double>(touched);
}

/// A sum over launches.
struct totals {
  std::uint64_t sectors = 0;  // loads and stores together
  std::uint64_t fewest_sectors = 0;
  std::uint64_t bank_conflicts = 0;

  double sector_efficiency() const { return efficiency(fewest_sectors, sectors); }
  std::uint64_t bytes() const { return sectors * sector_bytes; }
  std::uint64_t fewest_bytes() const { return fewest_sectors * sector_bytes; }
};

totals sum_of(const std::vector<launch>& launches);

/// Launches of the same kernel as one, in the order of their first.
std::vector<launch> by_kernel(const std::vector<launch>& launches);

double instructions_a_thread(const launch& what);

/// "row_sums" of "void graphpatcher::kernels::row_sums<4, float>(int)": no result, namespaces and arguments.
std::string short_name(std::string_view kernel);

/// A workload that was run on a graph.
struct measurement {
  std::string workload;
  std::string graph;
  std::string formula;  // of the flops
  double flops = 0;
  std::vector<launch> launches;
};

}  // namespace gpu_cost
