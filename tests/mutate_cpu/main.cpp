// SPDX-License-Identifier: MIT
// The main function of test programs whose headers have places of mutation.hpp. scripts/mutate-cpu says by
//   GRAPHPATCHER_MUTANT=<number>  which of them has its fault
//   GRAPHPATCHER_RECORD=<file>    to write for every test case its seconds of processor time and the places it has
//                                 executed, and at the end those that can't have a fault
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "gp_mutation.hpp"

namespace {

class mutation_listener : public Catch::TestEventListenerBase {
public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    if (const char* number = std::getenv("GRAPHPATCHER_MUTANT")) {
      gp_mutation::active = std::stoi(number);
    }
    if (const char* path = std::getenv("GRAPHPATCHER_RECORD")) {
      record_.open(path);
    }
  }

  void testCaseStarting(const Catch::TestCaseInfo&) override { start_ = std::clock(); }

  void testCaseEnded(const Catch::TestCaseStats& ended) override {
    if (record_.is_open()) {
      const double seconds = static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
      record_ << "case\t" << seconds << '\t' << (ended.totals.assertions.allPassed() ? "passed" : "failed") << '\t'
              << ended.testInfo.name << '\t';
      write_places(gp_mutation::state::executed);
    }
  }

  void testRunEnded(const Catch::TestRunStats&) override {
    if (record_.is_open()) {
      record_ << "immutable\t";
      write_places(gp_mutation::state::immutable);
    }
  }

private:
  /// Writes the places of a state and forgets it.
  void write_places(gp_mutation::state wanted) {
    for (std::size_t number = 0; number < gp_mutation::most_places; ++number) {
      if (gp_mutation::states[number].load() == wanted) {
        record_ << ' ' << number;
        gp_mutation::states[number].store(gp_mutation::state::unknown);
      }
    }
    record_ << std::endl;
  }

  std::ofstream record_;
  std::clock_t start_ = 0;
};

CATCH_REGISTER_LISTENER(mutation_listener)

}  // namespace
