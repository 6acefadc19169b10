// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "graphpatcher/core/executor.hpp"

namespace graphpatcher {

namespace detail {

/// Threads that wait for work, shared by the whole program and started on
/// first use. Standard threads rather than OpenMP: a user needs no flag.
class thread_pool {
public:
  using job_function = void (*)(void* context);

  static thread_pool& instance() {
    static thread_pool pool;
    return pool;
  }

  /// Calls `job(context)` on `threads` threads, the caller's among them, and
  /// returns when all are done. A pool that is busy, or a call from inside a
  /// job, runs the job on the calling thread alone: jobs share their work
  /// through a counter in `context`, so one thread can do all of it.
  void run(int threads, job_function job, void* context) {
    std::unique_lock<std::mutex> owner(owner_, std::try_to_lock);
    if (threads <= 1 || inside_job() || !owner.owns_lock()) {
      job(context);
      return;
    }
    const int helpers = threads - 1;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      while (static_cast<int>(workers_.size()) < helpers) {
        const int index = static_cast<int>(workers_.size());
        workers_.emplace_back([this, index] { work(index); });
      }
      job_ = job;
      context_ = context;
      helpers_ = helpers;
      pending_ = helpers;
      generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    inside_job() = true;
    job(context);
    inside_job() = false;
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return pending_ == 0; });
  }

  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

private:
  thread_pool() = default;
  ~thread_pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
      generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    for (auto& worker : workers_) {
      worker.join();
    }
  }

  static bool& inside_job() {
    thread_local bool inside = false;
    return inside;
  }

  void work(int index) {
    inside_job() = true;
    std::uint64_t seen = 0;
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return generation_.load(std::memory_order_acquire) != seen; });
      seen = generation_.load(std::memory_order_acquire);
      if (stopping_) {
        return;
      }
      if (index >= helpers_) {
        continue;  // this job wants fewer threads
      }
      const auto job = job_;
      void* const context = context_;
      lock.unlock();
      job(context);
      lock.lock();
      if (--pending_ == 0) {
        done_.notify_one();
      }
    }
  }

  std::mutex owner_;  // held by the thread whose job the pool runs
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::thread> workers_;
  job_function job_ = nullptr;
  void* context_ = nullptr;
  int helpers_ = 0;
  int pending_ = 0;
  bool stopping_ = false;
  std::atomic<std::uint64_t> generation_{0};
};

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
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
    std::mutex failure_mutex;
  } state{body, count, grain, {}, {}, nullptr, {}};

  detail::thread_pool::instance().run(
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
