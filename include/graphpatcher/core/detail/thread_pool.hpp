// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "graphpatcher/core/executor.hpp"

namespace graphpatcher {

namespace detail {

/// Tells the processor that this thread waits in a loop.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Threads that wait for work, shared by the whole program and started on
/// first use. Standard threads rather than OpenMP: a user needs no flag.
///
/// Who waits, for a job or for its end, first looks again and again for a short
/// time and only then sleeps: jobs often follow each other within microseconds,
/// and waking a thread costs more than many of them. With more threads than
/// processors nobody looks: the time is better given to a thread that works.
///
/// Where the system gives fewer threads than were asked for, those do the work.
class thread_pool {
public:
  using job_function = void (*)(void* context);

  thread_pool() : processors_(static_cast<std::size_t>(hardware_threads())) {}
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() {
    stopping_ = true;
    for (auto& each : workers_) {
      each.call();
      each.thread.join();
    }
  }

  static thread_pool& instance() {
    static thread_pool pool;
    return pool;
  }

  /// Calls `job(context)` on `threads` threads, the caller's among them, and
  /// returns when all are done. A pool that is busy, or a call from inside a
  /// job, runs the job on the calling thread alone: jobs share their work
  /// through a counter in `context`, so one thread can do all of it.
  void run(int threads, job_function job, void* context) {
    std::unique_lock<std::mutex> owner(owner_, std::defer_lock);
    if (threads <= 1 || inside_job() || !owner.try_lock()) {
      job(context);
      return;
    }
    const auto helpers = static_cast<std::uint32_t>(helpers_for(static_cast<std::size_t>(threads - 1)));
    may_spin_.store(workers_.size() < processors_, std::memory_order_relaxed);
    job_ = job;
    context_ = context;
    pending_.store(helpers, std::memory_order_relaxed);
    for (std::uint32_t helper = 0; helper < helpers; ++helper) {
      workers_[helper].call();
    }
    inside_job() = true;
    job(context);
    inside_job() = false;
    for (std::uint32_t left = helpers; left != 0; left = pending_.load(std::memory_order_acquire)) {
      wait_for_change(pending_, left);
    }
  }

private:
  /// Counts the jobs a worker was called to; on a cache line of its own.
  struct alignas(64) worker {
    std::atomic<std::uint32_t> calls{0};
    std::thread thread;

    explicit worker(thread_pool& pool) : thread([this, &pool] { pool.work(*this); }) {}
    void call() {
      calls.fetch_add(1);
      calls.notify_one();
    }
  };

  /// Starts what is missing. A system that gives no more threads isn't asked again: there are jobs every microsecond.
  std::size_t helpers_for(std::size_t wanted) {
    try {
      while (may_grow_ && workers_.size() < wanted) {
        workers_.emplace_back(*this);
      }
    } catch (const std::system_error&) {
      may_grow_ = false;
    }
    return std::min(wanted, workers_.size());
  }

  static bool& inside_job() {
    thread_local bool inside = false;
    return inside;
  }

  /// Returns once `value` is no longer `old`, or a little earlier.
  void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) const {
    using clock = std::chrono::steady_clock;
    if (may_spin_.load(std::memory_order_relaxed)) {
      const auto until = clock::now() + std::chrono::microseconds(30);
      do {
        for (int round = 0; round < 16; ++round) {
          if (value.load(std::memory_order_relaxed) != old) {
            return;
          }
          spin_pause();
        }
      } while (clock::now() < until);
    }
    value.wait(old, std::memory_order_relaxed);
  }

  void work(worker& self) {
    inside_job() = true;
    for (std::uint32_t seen = 0;; ++seen) {
      while (self.calls.load(std::memory_order_acquire) == seen) {
        wait_for_change(self.calls, seen);
      }
      if (stopping_) {
        return;
      }
      job_(context_);
      if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        pending_.notify_one();
      }
    }
  }

  std::mutex owner_;            // held by the thread whose job the pool runs; it alone writes what follows,
  std::deque<worker> workers_;  // and while no worker is called: a call hands it over, pending_ hands it back
  job_function job_ = nullptr;
  void* context_ = nullptr;
  bool stopping_ = false;
  bool may_grow_ = true;
  const std::size_t processors_;
  std::atomic<bool> may_spin_{false};
  alignas(64) std::atomic<std::uint32_t> pending_{0};  // called workers that have not finished
};

}  // namespace detail

}  // namespace graphpatcher
