// SPDX-License-Identifier: MIT
#include "goals.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "workload.hpp"

using namespace gpu_cost;

namespace {

launch with_sectors(std::uint64_t fewest, std::uint64_t touched,
                    const std::string& kernel = "void gp::copy<float>(int)") {
  launch result;
  result.kernel = kernel;
  result.global_load.sectors = touched;
  result.global_load.fewest_sectors = fewest;
  return result;
}

measurement of(const std::string& workload, std::vector<launch> launches) {
  return {workload, "cora", "0", 0, std::move(launches)};
}

}  // namespace

TEST_CASE("every goal belongs to a workload") {
  const auto all = all_workloads();
  for (const goal& each : goals) {
    INFO(each.workloads);
    CHECK(std::any_of(all.begin(), all.end(), [&](const workload& w) { return w.name.starts_with(each.workloads); }));
  }
}

TEST_CASE("gather-SpMM has a goal at each width") {
  for (const char* how : {"spmm_mean_", "spmm_symmetric_"}) {
    for (const char* width : {"32", "64", "128", "256"}) {
      CHECK(missed_goals(of(std::string(how) + width, {with_sectors(85, 100)})).empty());
      CHECK(missed_goals(of(std::string(how) + width, {with_sectors(84, 100)})).size() == 1);
    }
  }
}

TEST_CASE("the goal is for all launches of a workload together, and names the worst") {
  // (90 + 40) / (100 + 100) = 65 %
  const auto missed = missed_goals(of("corrupted_logits_mean", {with_sectors(90, 100, "void gp::good<1>(int)"),
                                                                with_sectors(40, 100, "void gp::bad<1>(int)")}));
  REQUIRE(missed.size() == 1);
  CHECK(missed[0] ==
        "corrupted_logits_mean on cora: expected a sector efficiency of at least 70.0 %, got 65.0 %; most is lost in "
        "bad");
  CHECK(missed_goals(of("corrupted_logits_mean", {with_sectors(50, 50), with_sectors(90, 150)})).empty());  // 70 %
}

TEST_CASE("stores count as much as loads") {
  launch stores;
  stores.kernel = "fill";
  stores.global_store.sectors = 100;
  stores.global_store.fewest_sectors = 10;
  CHECK(missed_goals(of("spmm_mean_32", {with_sectors(100, 100), stores})).size() == 1);  // 110 / 200
}

TEST_CASE("a reduction with bank conflicts misses its goal") {
  auto sums = with_sectors(10, 10, "void gp::kernels::column_sums_kernel<double>(long)");
  CHECK(missed_goals(of("column_sums_64", {sums})).empty());
  sums.shared_conflict_ways = 3;
  const auto missed = missed_goals(of("column_sums_64", {sums}));
  REQUIRE(missed.size() == 1);
  CHECK(missed[0] ==
        "column_sums_64 on cora: expected no bank conflicts, got 3 passes beyond the first in column_sums_kernel");
}

TEST_CASE("a workload without launches misses its goals, one without goals can't") {
  CHECK(missed_goals(of("sum_all_64", {})).size() == 1);
  CHECK(missed_goals(of("gather_64", {with_sectors(1, 100)})).empty());
}
