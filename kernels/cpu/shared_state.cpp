// SPDX-License-Identifier: MIT
// What a program has once, whatever the level of its kernels: its threads, the request
// to stop, and what its displays are about. Nothing that waits or remembers may be in a level's objects: each
// level has its own copy of every static variable.
#include "graphpatcher/core/detail/processors.hpp"
#include "graphpatcher/core/detail/thread_pool.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/core/progress.hpp"

int graphpatcher::hardware_threads() noexcept {
  static const int count = detail::usable_processors();
  return count;
}

namespace graphpatcher::detail {

void run_on_threads(int threads, void (*job)(void*), void* context) {
  thread_pool::instance().run(threads, job, context);
}

interrupt_state& interrupts() noexcept {
  return interrupts_of_program();
}

std::string& progress_subject() noexcept {
  return subject_of_thread();
}

}  // namespace graphpatcher::detail
