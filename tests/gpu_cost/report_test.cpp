// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "graphpatcher/core/error.hpp"
#include "number_text.hpp"

using namespace gpu_cost;

namespace {

/// 10 threads, 25 instructions; 30 + 10 sectors moved, 15 + 10 needed.
measurement example() {
  launch one;
  one.kernel = "void graphpatcher::kernels::row_sums<4, (graphpatcher::kernels::weighing)1, float>(int)";
  one.threads = 10;
  one.instructions = 25;
  one.global_load.sectors = 30;
  one.global_load.fewest_sectors = 15;
  one.global_store.sectors = 10;
  one.global_store.fewest_sectors = 10;
  one.shared_conflict_ways = 7;
  one.active_lane_share = 0.5;
  return {"spmm_mean_64", "cora", "E C", 2560, {one}};
}

}  // namespace

TEST_CASE("a kernel's short name") {
  CHECK(short_name(example().launches[0].kernel) == "row_sums");
  CHECK(short_name("void fill<float>(float*)") == "fill");
  CHECK(short_name("reduce(float const*, float*)") == "reduce");
  CHECK(short_name("plain") == "plain");
  CHECK(short_name("") == "");
}

TEST_CASE("sums and shares") {
  const totals sum = sum_of(example().launches);
  CHECK(sum.sectors == 40);
  CHECK(sum.fewest_sectors == 25);
  CHECK(sum.bytes() == 1280);
  CHECK(sum.fewest_bytes() == 800);
  CHECK(sum.bank_conflicts == 7);
  CHECK(sum.sector_efficiency() == 0.625);
  CHECK(efficiency(0, 0) == 1.0);
  CHECK(instructions_a_thread(example().launches[0]) == 2.5);
  CHECK(instructions_a_thread({}) == 0.0);
}

TEST_CASE("launches of one kernel are added up") {
  auto launches = example().launches;
  launches.push_back(launches[0]);
  launches[1].kernel = "void graphpatcher::kernels::add_pieces<4>(int)";
  launches.push_back(launches[0]);
  launches[2].instructions = 75;  // on 75 lanes
  launches[2].active_lane_share = 1;
  const auto kernels = by_kernel(launches);
  REQUIRE(kernels.size() == 2);
  CHECK(short_name(kernels[0].kernel) == "row_sums");
  CHECK(kernels[0].threads == 20);
  CHECK(kernels[0].global_load.sectors == 60);
  CHECK(kernels[0].shared_conflict_ways == 14);
  CHECK(kernels[0].active_lane_share == Approx(100.0 / 125));  // 25 + 75 worked; 25 / 0.5 + 75 were occupied
  CHECK(kernels[1].global_load.sectors == 30);
}

TEST_CASE("numbers as text") {
  CHECK(percent(0.8512) == "85.1 %");
  CHECK(three_digits(0.0123) == "0.012");
  CHECK(three_digits(1.234) == "1.23");
  CHECK(three_digits(12.34) == "12.3");
  CHECK(three_digits(1234.4) == "1234");
  CHECK(three_digits(0) == "0");
}

TEST_CASE("the table has aligned columns, a line a launch") {
  auto second = example();
  second.workload = "a_longer_name";
  CHECK(text_table({example(), second}) ==
        "workload       graph  kernel    threads  instr/thread  load sectors/fewest     eff  store sectors/fewest      "
        "eff  conflicts   lanes  bytes\n"
        "spmm_mean_64   cora   row_sums       10           2.5              30 / 15  50.0 %               10 / 10  "
        "100.0 %          7  50.0 %   1280\n"
        "a_longer_name  cora   row_sums       10           2.5              30 / 15  50.0 %               10 / 10  "
        "100.0 %          7  50.0 %   1280\n");
}

TEST_CASE("JSON has all numbers") {
  const auto document = nlohmann::json::parse(json({example()}));
  CHECK(document.at("about").get<std::string>().find("nothing here was measured on a GPU") != std::string::npos);
  const auto& what = document.at("workloads").at(0);
  CHECK(what.at("workload") == "spmm_mean_64");
  CHECK(what.at("flops") == 2560);
  CHECK(what.at("bytes") == 1280);
  CHECK(what.at("fewest_bytes") == 800);
  CHECK(what.at("sector_efficiency") == 0.625);
  const auto& one = what.at("launches").at(0);
  CHECK(one.at("kernel") == "row_sums");
  CHECK(one.at("load").at("efficiency") == 0.5);
  CHECK(one.at("store").at("sectors") == 10);
  CHECK(one.at("bank_conflicts") == 7);
  CHECK(one.at("active_lane_share") == 0.5);
}

TEST_CASE("the roofline is bytes over bandwidth") {
  // 1280 bytes at 936, 1555, 2039 and 3350 GB/s: 1.3675, 0.8232, 0.6278 and 0.3821 ns
  auto what = example();
  for (launch& each : what.launches) {
    each.global_load.sectors = 29990000;  // and 10000 stores: 3e7 sectors, 9.6e8 bytes
    each.global_store.sectors = 10000;
  }
  const std::string table = markdown_roofline({what});
  CHECK(table.find("| 960000 | 0.800 | 2.56 | 0.00 | 1026 | 617 | 471 | 287 |") != std::string::npos);
  CHECK(table.find("RTX 3090, µs | A100 40 GB, µs | A100 80 GB SXM, µs | H100 SXM, µs") != std::string::npos);
}

TEST_CASE("a report replaces the one before it, and nothing else") {
  const std::string page = "above\n<!-- gpu-cost: begin -->\nold\nolder\n<!-- gpu-cost: end -->\nbelow\n";
  const std::string expected = "above\n<!-- gpu-cost: begin -->\nnew\n<!-- gpu-cost: end -->\nbelow\n";
  CHECK(with_report(page, "new\n") == expected);
  CHECK(with_report(expected, "new\n") == expected);
}

TEST_CASE("a page without marks is refused") {
  using graphpatcher::argument_error;
  CHECK_THROWS_AS(with_report("nothing", "new"), argument_error);
  CHECK_THROWS_AS(with_report("<!-- gpu-cost: begin -->\n", "new"), argument_error);
  CHECK_THROWS_AS(with_report("<!-- gpu-cost: end -->\n<!-- gpu-cost: begin -->\n", "new"), argument_error);
  CHECK_THROWS_AS(write_report("no/such/page.md", "new"), graphpatcher::file_error);
}
