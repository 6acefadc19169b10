// SPDX-License-Identifier: MIT
// What a program has once, whatever the level of its kernels: its threads, and the
// request to stop. Nothing that waits or remembers may be in a level's objects: each
// level has its own copy of every static variable.
#include "graphpatcher/core/detail/thread_pool.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/parallel_for.hpp"

namespace graphpatcher::detail {

void run_on_threads(int threads, void (*job)(void*), void* context) {
  thread_pool::instance().run(threads, job, context);
}

interrupt_state& interrupts() noexcept {
  static constinit interrupt_state state;
  return state;
}

}  // namespace graphpatcher::detail
