// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/interrupt.hpp"

namespace graphpatcher {

namespace {

/// The next file would get the number of a stream that is closed, and what is said would stand in it. A descriptor
/// that can't be written to keeps the number taken, and writing fails as before.
void keep_stream_numbers() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) != stream) {
      std::abort();  // the lowest number that is free is the one that is opened
    }
  }
}

int guarded(std::string_view name, const std::function<int()>& work) {
  const auto say = [&](const char* what) {
    std::cerr << name << ": " << what << '\n';
    return EXIT_FAILURE;
  };
  constexpr const char* no_memory =
      "not enough memory: expected room for all that the options ask for; take fewer hidden units, samples, patches or "
      "threads, or a smaller batch";
  try {
    return work();
  } catch (const interrupted_error& stop) {
    say(stop.what());
    return 130;
  } catch (const std::bad_alloc&) {
    return say(no_memory);
  } catch (const std::length_error&) {  // more than a vector may ever hold
    return say(no_memory);
  } catch (const std::exception& problem) {
    return say(problem.what());
  }
}

}  // namespace

int run_program(std::string_view name, const std::function<int()>& work) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  keep_stream_numbers();
  const interrupt_scope interruptible;
  const int code = guarded(name, work);
  interrupt_requested();  // one that came when all was done changes nothing
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::cerr << name << ": standard output can't be written (closed, or no room); what it was to say is lost\n";
    return code == EXIT_SUCCESS ? EXIT_FAILURE : code;
  }
  return code;
}

}  // namespace graphpatcher
