// SPDX-License-Identifier: MIT
// Lets scripts/mutate-kernels choose a fault of the kernels and see which test cases execute which places:
//   GPU_HOST_MUTANT=<id>    the kernels have this fault
//   GPU_HOST_STEPS=<n>      launches with more steps fail
//   GPU_HOST_RECORD=<file>  write all places, and for every test case its seconds of processor time, the steps of its
//                           longest launch and the places it has reached
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <string>

#include "mutation.hpp"

namespace {

class mutation_listener : public Catch::TestEventListenerBase {
public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    setenv("GRAPHPATCHER_NO_POOL", "1", 1);  // arrays of exact sizes: a byte beyond one is out of bounds
    if (const char* id = std::getenv("GPU_HOST_MUTANT")) {
      gpu_host::select_mutant(id);
    }
    if (const char* steps = std::getenv("GPU_HOST_STEPS")) {
      gpu_host::limit_steps(std::stoull(steps));
    }
    if (const char* path = std::getenv("GPU_HOST_RECORD")) {
      record_.open(path);
      for (const gpu_host::mutant& each : gpu_host::mutants()) {
        numbers_.emplace(each, numbers_.size());
        record_ << "mutant\t" << each.file << '\t' << each.line << '\t' << each.column << '\t' << each.number << '\t'
                << each.source << '\n';
      }
    }
  }

  void testCaseStarting(const Catch::TestCaseInfo&) override { start_ = std::clock(); }

  void testCaseEnded(const Catch::TestCaseStats& ended) override {
    if (!record_.is_open()) {
      return;
    }
    const double seconds = static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    record_ << "case\t" << seconds << '\t' << gpu_host::take_most_steps() << '\t'
            << (ended.totals.assertions.allPassed() ? "passed" : "failed") << '\t' << ended.testInfo.name << '\t';
    for (const gpu_host::mutant& each : gpu_host::take_reached()) {
      record_ << ' ' << numbers_.at(each);
    }
    record_ << std::endl;
  }

private:
  std::ofstream record_;
  std::map<gpu_host::mutant, std::size_t> numbers_;
  std::clock_t start_ = 0;
};

CATCH_REGISTER_LISTENER(mutation_listener)

}  // namespace
