// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <new>

#include "graphpatcher/core/error.hpp"
#include "support/allocation_watch.hpp"

namespace faults {

/// What becomes of a process of its own in which requests fail from the given one on, or that one alone.
enum class outcome {
  done,      ///< without a refused request
  survived,  ///< with one
  threw,
  ended,  ///< std::terminate
};

template <class Work>
outcome in_a_process(long count, gp_test::failures which, const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);  // the end of this process is none of the test program
    ::close(STDERR_FILENO);
    outcome result = outcome::done;
    const gp_test::failing_allocations failing(count, which);
    try {
      work();
      result = failing.reached() ? outcome::survived : outcome::done;
    } catch (const std::bad_alloc&) {
      result = outcome::threw;
    } catch (const graphpatcher::error&) {
      result = outcome::threw;
    }
    ::_exit(static_cast<int>(result));
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) {
    REQUIRE(WTERMSIG(status) == SIGABRT);
    return outcome::ended;
  }
  return static_cast<outcome>(WEXITSTATUS(status));
}

/// fail_everywhere() for what goes through nlohmann-json, whose destructors ask for memory: without it they end the
/// program (docs/reliability.md). Every `short_step`-th request fails, all of them in the long form. `look(outcome)` is
/// called after each.
template <class Work, class Look>
void fail_in_processes(long short_step, const Work& work, const Look& look) {
  const long step = std::getenv("GRAPHPATCHER_LONG_TESTS") != nullptr ? 1 : short_step;
  for (const auto which : {gp_test::failures::all, gp_test::failures::one}) {
    long done = 0;
    long threw = 0;
    for (long count = 0; done == 0; count += step) {  // in the end it is done, with nothing refused
      const auto result = in_a_process(count, which, work);
      look(result);
      done += result == outcome::done;
      threw += result == outcome::threw;
      REQUIRE(count < 100000);
    }
    CHECK(threw > 3);
  }
}

}  // namespace faults
