// SPDX-License-Identifier: MIT
#include "measurement.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace bench;

TEST_CASE("the median of an odd and of an even number of values, and of none") {
  CHECK(median_of({3, 1, 2}) == 2);
  CHECK(median_of({4, 1, 3, 2}) == 2.5);
  CHECK(std::isnan(median_of({})));
}

TEST_CASE("the least time is the larger of what operations and bytes take") {
  const limits bound{.threads = 2, .fma_peak_gflops = 100, .fma_best_gflops = 120, .read_gbps = 10};
  CHECK(bound.seconds(2e9, 1e8) == Approx(0.02));  // 0.02 s of operations, 0.01 s of bytes
  CHECK(bound.seconds(1e9, 5e8) == Approx(0.05));  // 0.01 s and 0.05 s
}

TEST_CASE("results as JSON: what was measured, what went wrong, what was skipped") {
  const limits bound{.threads = 2, .fma_peak_gflops = 100, .fma_best_gflops = 120, .read_gbps = 10};
  const measurement good{.workload = "spmm/cora/w64",
                         .size = {.flops = 1e9, .bytes = 2e7, .items = 500, .unit = "edges/s"},
                         .seconds = {0.03, 0.02, 0.04},
                         .error = "",
                         .skipped = ""};
  const measurement wrong{.workload = "gemm", .size = {}, .seconds = {}, .error = "wrong result: 1", .skipped = ""};
  const measurement missing{.workload = "patching", .size = {}, .seconds = {}, .error = "", .skipped = "no data"};
  const auto document = to_json({"some cpu", 4, "gcc 12", "-O3"}, bound, {good, wrong, missing});

  CHECK(document["machine"]["cpu"] == "some cpu");
  CHECK(document["threads"] == 2);
  CHECK(document["fma_peak_gflops"] == 100);
  CHECK(document["fma_best_gflops"] == 120);
  CHECK(document["read_gbps"] == 10);
  const auto& first = document["results"][0];
  CHECK(first["work"] == "spmm/cora/w64");
  CHECK(first["seconds"] == Approx(0.03));
  CHECK(first["min"] == Approx(0.02));
  CHECK(first["rate"].get<double>() == Approx(500 / 0.03));
  CHECK(first["unit"] == "edges/s");
  CHECK(first["share_of_limit"].get<double>() == Approx(0.01 / 0.03));  // 1e9 operations take 0.01 s at most speed
  CHECK(first["peers"].empty());
  CHECK(document["results"][1]["error"] == "wrong result: 1");
  CHECK_FALSE(document["results"][1].contains("seconds"));
  CHECK(document["results"][2]["skipped"] == "no data");
}
