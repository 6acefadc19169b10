// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "graphpatcher/core/parallel_for.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

namespace {

/// While one lives the process may take so many bytes more than it has, for stacks of threads among others.
class room_for {
public:
  explicit room_for(std::size_t bytes) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &before_);
    rlimit less = before_;
    less.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + bytes;
    ::setrlimit(RLIMIT_AS, &less);
  }
  room_for(const room_for&) = delete;
  room_for& operator=(const room_for&) = delete;
  ~room_for() { ::setrlimit(RLIMIT_AS, &before_); }

private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("parallel_for visits every item once", "[parallel_for]") {
  for (const int threads : {1, 2, 3, 16}) {
    for (const std::size_t count : {0u, 1u, 7u, 1000u, 1003u}) {
      for (const std::size_t grain : {0u, 1u, 10u, 5000u}) {
        CAPTURE(threads, count, grain);
        std::vector<int> visits(count, 0);
        parallel_for(cpu{.threads = threads}, count, grain, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            ++visits[i];
          }
        });
        CHECK(std::ranges::count(visits, 1) == static_cast<std::ptrdiff_t>(count));
      }
    }
  }
}

TEST_CASE("parallel_for passes on what a body throws, and works again", "[parallel_for]") {
  const cpu exec{.threads = 4};
  const auto failing = [&] {
    parallel_for(exec, 1000, 1, [](std::size_t begin, std::size_t) {
      if (begin == 500) {
        throw std::out_of_range("item 500");
      }
    });
  };
  CHECK_THROWS_AS(failing(), std::out_of_range);
  CHECK_THROWS_WITH(failing(), "item 500");
  std::atomic<int> sum{0};
  parallel_for(exec, 100, 1, [&](std::size_t begin, std::size_t) { sum += static_cast<int>(begin); });
  CHECK(sum == 4950);
  CHECK_THROWS_AS(parallel_for(cpu{.threads = 1}, 1, 1, [](std::size_t, std::size_t) { throw index_error("alone"); }),
                  index_error);
}

TEST_CASE("parallel_for may be nested", "[parallel_for]") {
  const cpu exec{.threads = 3};
  std::vector<int> visits(20 * 50, 0);
  parallel_for(exec, 20, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t outer = begin; outer < end; ++outer) {
      parallel_for(exec, 50, 7, [&](std::size_t first, std::size_t last) {
        for (std::size_t inner = first; inner < last; ++inner) {
          ++visits[outer * 50 + inner];
        }
      });
    }
  });
  CHECK(std::ranges::count(visits, 1) == 1000);
}

TEST_CASE("parallel_for may be called from several threads at once", "[parallel_for]") {
  std::atomic<int> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        parallel_for(cpu{.threads = 3}, 10, 1, [&](std::size_t, std::size_t) { ++sum; });
      }
    });
  }
  for (auto& caller : callers) {
    caller.join();
  }
  CHECK(sum == 4 * 50 * 10);
}

TEST_CASE("a fixed split gives the same bits for any number of threads", "[parallel_for]") {
  const auto run = [](int threads) {
    std::vector<double> result(997);
    parallel_for(cpu{.threads = threads}, result.size(), 13, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (int k = 1; k < 20; ++k) {
          result[i] += 1.0 / (static_cast<double>(i) + k);
        }
      }
    });
    return result;
  };
  CHECK(run(1) == run(2));
  CHECK(run(1) == run(9));
}

TEST_CASE("no threads is an error that says what to do", "[parallel_for]") {
  const auto body = [](std::size_t, std::size_t) {};
  CHECK_THROWS_AS(parallel_for(cpu{.threads = 0}, 10, 1, body), argument_error);
  CHECK_THROWS_AS(parallel_for(cpu{.threads = -3}, 10, 1, body), argument_error);
  CHECK_THROWS_WITH(parallel_for(cpu{.threads = 0}, 10, 1, body),
                    Contains("at least 1") && Contains("leave `threads` out"));
  CHECK_THROWS_AS(parallel_for(cpu{.threads = 0}, 0, 1, body), argument_error);
}

// A sanitizer has address space of its own.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GP_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GP_SANITIZED
#endif

#ifndef GP_SANITIZED
TEST_CASE("threads that can't be had are done without", "[parallel_for]") {
  detail::thread_pool pool;
  std::atomic<int> calls{0};
  const auto count = [](void* context) { ++*static_cast<std::atomic<int>*>(context); };
  {
    const room_for few_stacks(64 << 20);
    pool.run(1000, count, &calls);
  }
  CHECK(calls >= 1);
  CHECK(calls < 1000);
  const int had = calls;
  pool.run(1000, count, &calls);
  CHECK(calls == 2 * had);
}
#endif
