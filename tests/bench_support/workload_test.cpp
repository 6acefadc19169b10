// SPDX-License-Identifier: MIT
#include "workload.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "closeness.hpp"

using namespace bench;

namespace {

const limits bound{.threads = 1, .fma_peak_gflops = 100, .fma_best_gflops = 120, .read_gbps = 10};

workload counting(const std::string& name, int& runs, bool slow = false) {
  return {name, [&runs] { return prepared_workload{{.flops = 10}, [&runs] { ++runs; }, [] {}}; }, slow};
}

run_options quickly(const std::string& filter = "") {
  return {.threads = 1, .quick = true, .data = "", .filter = filter};
}

}  // namespace

TEST_CASE("every run of a workload is measured but the one before the check") {
  int runs = 0;
  const auto results = run_all({counting("one", runs)}, quickly(), bound);
  REQUIRE(results.size() == 1);
  CHECK(results[0].workload == "one");
  CHECK(results[0].error.empty());
  CHECK(static_cast<int>(results[0].seconds.size()) == runs - 1);
  CHECK(results[0].seconds.size() >= 5);
  CHECK(results[0].size.flops == 10);
}

TEST_CASE("a wrong result is an error and is not timed, and other workloads go on") {
  int runs = 0;
  const workload wrong{"wrong", [] {
                         return prepared_workload{{}, [] {}, [] { expects_close(2.0, 1.0, "the sum"); }};
                       }};
  const workload broken{"broken", []() -> prepared_workload { throw std::runtime_error("no inputs"); }};
  const auto results = run_all({wrong, broken, counting("good", runs)}, quickly(), bound);
  REQUIRE(results.size() == 3);
  CHECK(results[0].error.find("the sum") != std::string::npos);
  CHECK(results[0].seconds.empty());
  CHECK(results[1].error == "no inputs");
  CHECK(results[2].error.empty());
}

TEST_CASE("workloads without data are skipped, and say why") {
  const workload missing{"missing", []() -> prepared_workload { throw missing_data{"no data (x)"}; }};
  const auto results = run_all({missing}, quickly(), bound);
  REQUIRE(results.size() == 1);
  CHECK(results[0].skipped == "no data (x)");
  CHECK(results[0].error.empty());
}

TEST_CASE("the filter chooses by name; quick runs leave slow workloads out") {
  int runs = 0;
  const std::vector<workload> workloads{counting("spmm/a", runs), counting("gemm/a", runs),
                                        counting("spmm/slow", runs, true)};
  const auto results = run_all(workloads, quickly("^spmm"), bound);
  REQUIRE(results.size() == 1);
  CHECK(results[0].workload == "spmm/a");
}

TEST_CASE("a difference that is not a number is not close") {
  CHECK_THROWS_AS(expects_close(std::nan(""), 1.0, "x"), wrong_result);
  const graphpatcher::matrix<float> numbers{{1.0f, 2.0f}};
  const graphpatcher::matrix<float> others{{1.0f, 2.5f}};
  const graphpatcher::matrix<float> infinite{{1.0f, INFINITY}};
  CHECK(max_difference(numbers, others) == 0.5);
  CHECK(std::isinf(max_difference(numbers, infinite)));
}
