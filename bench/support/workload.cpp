// SPDX-License-Identifier: MIT
#include "workload.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>

namespace bench {

namespace {

/// A workload on its way through Google Benchmark, which calls it several times: to find out how many runs fill the
/// time, and then once a repetition. Inputs are made at the first call and dropped after the last.
class measured_workload {
public:
  measured_workload(const workload& what, bool turns) : what_(what), turns_(turns) { result_.workload = what.name; }

  void operator()(benchmark::State& state) {
    if (turns_) {
      wait_for_turn(what_.name);
    }
    if (!prepared_ && result_.error.empty() && result_.skipped.empty()) {
      prepare();
    }
    if (!prepared_) {
      state.SkipWithError((result_.error + result_.skipped).c_str());
      return;
    }
    using clock = std::chrono::steady_clock;
    for ([[maybe_unused]] auto _ : state) {
      const auto start = clock::now();
      prepared_->run();
      const double seconds = std::chrono::duration<double>(clock::now() - start).count();
      result_.seconds.push_back(seconds);
      state.SetIterationTime(seconds);
    }
  }

  measurement finish() {
    prepared_.reset();
    return std::move(result_);
  }

private:
  /// The run before the check warms up caches and threads.
  void prepare() {
    try {
      auto made = what_.prepare();
      result_.size = made.size;
      made.run();
      made.check();
      prepared_ = std::move(made);
    } catch (const missing_data& missing) {
      result_.skipped = missing.reason;
    } catch (const wrong_result& wrong) {
      result_.error = "wrong result: " + wrong.what;
    } catch (const std::exception& failure) {
      result_.error = failure.what();
    }
  }

  workload what_;
  bool turns_;
  std::optional<prepared_workload> prepared_;
  measurement result_;
};

/// Takes over what was measured when Google Benchmark reports it, and prints it.
class collector : public benchmark::BenchmarkReporter {
public:
  collector(std::vector<std::shared_ptr<measured_workload>> workloads, const limits& bound)
      : workloads_(std::move(workloads)), bound_(bound) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    if (runs.empty() || runs.front().run_type != Run::RT_Iteration) {
      return;  // statistics that Google Benchmark makes of the same runs
    }
    const auto family = static_cast<std::size_t>(runs.front().family_index);
    results.push_back(workloads_.at(family)->finish());
    print(results.back());
  }

  std::vector<measurement> results;

private:
  void print(const measurement& done) const {
    if (!done.error.empty()) {
      std::printf("%-36s error: %s\n", done.workload.c_str(), done.error.c_str());
    } else if (!done.skipped.empty()) {
      std::printf("%-36s skipped: %s\n", done.workload.c_str(), done.skipped.c_str());
    } else {
      std::printf("%-36s %12.6f ms  %10.4g %-14s %5.1f %% of the limit\n", done.workload.c_str(), 1e3 * done.median(),
                  done.rate(), done.size.unit.c_str(), 100 * done.share_of_limit(bound_));
    }
    std::fflush(stdout);
  }

  std::vector<std::shared_ptr<measured_workload>> workloads_;
  limits bound_;
};

}  // namespace

void wait_for_turn(const std::string& name) {
  std::cout << "turn " << name << std::endl;
  std::string line;
  if (!std::getline(std::cin, line)) {
    throw std::runtime_error("benchmarks: expected a line on standard input before " + name + ", got its end");
  }
}

std::vector<measurement> run_all(const std::vector<workload>& workloads, const run_options& options,
                                 const limits& bound) {
  const std::regex wanted(options.filter);
  std::vector<std::shared_ptr<measured_workload>> chosen;
  for (const workload& each : workloads) {
    if (!std::regex_search(each.name, wanted) || (options.quick && each.slow)) {
      continue;
    }
    chosen.push_back(std::make_shared<measured_workload>(each, options.turns));
    // Five repetitions of 0.2 s make the 1 s of the protocol, and five runs of what takes longer than that.
    auto* registered = benchmark::RegisterBenchmark(
        each.name.c_str(), [entry = chosen.back()](benchmark::State& state) { (*entry)(state); });
    registered->UseManualTime()->MinTime(options.quick ? 0.04 : 0.2)->Repetitions(each.slow ? 3 : 5);
  }
  collector reporter(chosen, bound);
  benchmark::RunSpecifiedBenchmarks(&reporter, "all");
  benchmark::ClearRegisteredBenchmarks();
  return std::move(reporter.results);
}

}  // namespace bench
