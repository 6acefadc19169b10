// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include "graphpatcher/core/parallel_for.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

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
