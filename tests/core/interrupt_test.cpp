// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "graphpatcher/core/interrupt.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

namespace {

volatile std::sig_atomic_t seen_by_program = 0;
void program_handler(int) {
  seen_by_program = seen_by_program + 1;
}

using handler = void (*)(int);

handler installed(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

/// Puts a handler of the program's own in place for one test. SIGHUP is heeded, under nohup too.
struct program_handlers {
  program_handlers() { seen_by_program = 0; }
  ~program_handlers() {
    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, terminate);
    std::signal(SIGHUP, hangup);
  }
  handler interrupt = std::signal(SIGINT, program_handler);
  handler terminate = std::signal(SIGTERM, program_handler);
  handler hangup = std::signal(SIGHUP, SIG_DFL);
};

}  // namespace

TEST_CASE("Ctrl-C, SIGTERM, SIGHUP and SIGXCPU ask long work to stop", "[interrupt]") {
  const program_handlers around;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
    interrupt_scope scope;
    CHECK_FALSE(interrupt_requested());
    CHECK_NOTHROW(throw_if_interrupted("training"));
    std::raise(signal);
    CHECK(interrupt_requested());
    CHECK_THROWS_AS(throw_if_interrupted("training"), interrupted_error);
    CHECK_THROWS_WITH(throw_if_interrupted("training"), Contains("training") && Contains("stopped on request"));
  }
  CHECK(seen_by_program == 0);
}

TEST_CASE("handlers of before come back, and work again", "[interrupt]") {
  const program_handlers around;
  {
    interrupt_scope scope;
    CHECK(installed(SIGINT) != program_handler);
  }
  CHECK(installed(SIGINT) == program_handler);
  CHECK(installed(SIGTERM) == program_handler);
  std::raise(SIGINT);
  CHECK(seen_by_program == 1);
}

TEST_CASE("a request that nobody noticed is handed on", "[interrupt]") {
  const program_handlers around;
  {
    interrupt_scope scope;
    std::raise(SIGTERM);
    CHECK(seen_by_program == 0);
  }
  CHECK(seen_by_program == 1);
}

TEST_CASE("scopes nest: the inner one keeps the request for the outer", "[interrupt]") {
  const program_handlers around;
  interrupt_scope outer;
  {
    interrupt_scope inner;
    std::raise(SIGINT);
  }
  CHECK(seen_by_program == 0);
  CHECK(interrupt_requested());
  {
    interrupt_scope inner;
    CHECK(interrupt_requested());
  }
}

TEST_CASE("an ignored signal stays ignored", "[interrupt]") {
  const program_handlers around;
  std::signal(SIGINT, SIG_IGN);
  interrupt_scope scope;
  std::raise(SIGINT);
  CHECK_FALSE(interrupt_requested());
}

TEST_CASE("a second signal ends the program", "[interrupt]") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    interrupt_scope scope;
    std::raise(SIGINT);
    if (!interrupt_requested()) {
      ::_exit(2);
    }
    std::raise(SIGINT);
    ::_exit(3);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
}

TEST_CASE("what comes again by itself does not end the program", "[interrupt]") {
  const program_handlers around;
  interrupt_scope scope;
  for (const int signal : {SIGHUP, SIGXCPU}) {
    std::raise(signal);
    std::raise(signal);
    CHECK(interrupt_requested());
  }
}
