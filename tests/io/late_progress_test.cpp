// SPDX-License-Identifier: MIT
#include "io/late_progress.hpp"

#include <catch2/catch.hpp>

#include <sstream>

using namespace graphpatcher;
using namespace std::chrono_literals;

TEST_CASE("late_progress: work that is over in time shows nothing") {
  std::ostringstream out;
  {
    late_progress display("reading", 10, {.style = progress_style::lines, .out = &out}, 1h);
    display.advance(10);
  }
  CHECK(out.str().empty());
}

TEST_CASE("late_progress: after the delay, what is left is counted") {
  std::ostringstream out;
  {
    late_progress display("reading", 10, {.style = progress_style::lines, .out = &out}, 0ms);
    display.advance(4);
    display.advance(6);
  }
  CHECK_THAT(out.str(), Catch::Contains("reading: 6/6"));
}

TEST_CASE("late_progress: nothing is shown when it is quiet, or when the last step makes it late") {
  std::ostringstream out;
  {
    late_progress quiet("reading", 10, {.quiet = true, .style = progress_style::lines, .out = &out}, 0ms);
    quiet.advance(3);
    late_progress done("reading", 10, {.style = progress_style::lines, .out = &out}, 0ms);
    done.advance(10);
  }
  CHECK(out.str().empty());
}
