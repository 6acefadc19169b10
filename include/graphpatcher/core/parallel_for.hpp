// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/level.hpp"

#if !GRAPHPATCHER_COMPILED
#include "graphpatcher/core/detail/thread_pool.hpp"
#endif

namespace graphpatcher {

namespace detail {

/// Calls `job(context)` on up to `threads` threads, the caller's among them, and
/// returns when all are done. A program has one pool of threads: with
/// graphpatcher::compiled it is in that library, so that kernels of every level
/// and the program's own files share it.
#if GRAPHPATCHER_COMPILED
void run_on_threads(int threads, void (*job)(void*), void* context);
#else
inline void run_on_threads(int threads, void (*job)(void*), void* context) {
  thread_pool::instance().run(threads, job, context);
}
#endif

}  // namespace detail

/// Calls `body(begin, end)` on pieces of [0, count) of about `grain` items,
/// on up to `exec.threads` threads, and returns when all are done.
/// Which thread takes which piece is not fixed, so a body must write only what
/// belongs to its own items; then the result is the same for any thread count.
/// The first exception a body throws is thrown again here.
template <class Body>
void parallel_for(const cpu& exec, std::size_t count, std::size_t grain, Body&& body) {
  check_executor(exec);
  if (count == 0) {
    return;
  }
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t pieces = (count + grain - 1) / grain;
  const int threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(exec.threads), pieces));
  if (threads == 1) {
    body(std::size_t{0}, count);
    return;
  }
  struct shared_state {
    Body& body;
    std::size_t count;
    std::size_t grain;
    alignas(64) std::atomic<std::size_t> next{0};  // written by all: apart from what all read
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
    std::mutex failure_mutex;
  } state{body, count, grain, {}, {}, nullptr, {}};

  detail::run_on_threads(
      threads,
      [](void* context) {
        auto& shared = *static_cast<shared_state*>(context);
        for (;;) {
          const std::size_t begin = shared.next.fetch_add(shared.grain, std::memory_order_relaxed);
          if (begin >= shared.count || shared.failed.load(std::memory_order_relaxed)) {
            return;
          }
          try {
            shared.body(begin, std::min(begin + shared.grain, shared.count));
          } catch (...) {
            std::lock_guard<std::mutex> lock(shared.failure_mutex);
            if (!shared.failure) {
              shared.failure = std::current_exception();
            }
            shared.failed.store(true, std::memory_order_relaxed);
          }
        }
      },
      &state);
  if (state.failure) {
    std::rethrow_exception(state.failure);
  }
}

}  // namespace graphpatcher
