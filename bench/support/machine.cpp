// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "measurement.hpp"

#ifndef GP_BENCH_FLAGS
#define GP_BENCH_FLAGS ""
#endif

namespace bench {

namespace {

/// As wide as the machine's registers: the compiler's own vectors, so any architecture will do.
#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif
typedef float lanes __attribute__((vector_size(vector_bytes), may_alias));
constexpr std::size_t lane_count = vector_bytes / sizeof(float);

/// Keeps the compiler from leaving work out.
std::atomic<float> sink{0};

/// Seconds from the first thread's start to the last one's end; all wait for each other before they start.
double parallel_seconds(int threads, const std::function<void(int)>& work) {
  using clock = std::chrono::steady_clock;
  std::vector<clock::time_point> starts(static_cast<std::size_t>(threads));
  std::vector<clock::time_point> ends(starts.size());
  {
    std::barrier ready(threads);
    std::vector<std::jthread> pool;
    for (int t = 0; t < threads; ++t) {
      pool.emplace_back([&, t] {
        ready.arrive_and_wait();
        starts[static_cast<std::size_t>(t)] = clock::now();
        work(t);
        ends[static_cast<std::size_t>(t)] = clock::now();
      });
    }
  }
  const auto first = *std::min_element(starts.begin(), starts.end());
  return std::chrono::duration<double>(*std::max_element(ends.begin(), ends.end()) - first).count();
}

std::vector<double> repeat(int runs, const std::function<double()>& seconds) {
  std::vector<double> taken;
  for (int r = 0; r < runs; ++r) {
    taken.push_back(seconds());
  }
  return taken;
}

/// A fused multiply-add takes about 4 cycles and two start in each, so 8 chains keep the units busy; 12 leave room and
/// still fit 16 registers with both constants.
constexpr std::size_t chains = 12;

void multiply_add(std::size_t rounds) {
  lanes sums[chains];
  for (std::size_t c = 0; c < chains; ++c) {
    sums[c] = lanes{} + static_cast<float>(c + 1);
  }
  lanes factor = lanes{} + 0.999f;
  lanes term = lanes{} + 0.001f;
  asm volatile("" : "+x"(factor), "+x"(term));  // the compiler must not know them
  for (std::size_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (std::size_t c = 0; c < chains; ++c) {
      sums[c] = sums[c] * factor + term;
    }
  }
  lanes total{};
  for (const lanes& sum : sums) {
    total += sum;
  }
  sink = total[0];
}

void sum_array(const float* first, const float* last) {
  constexpr std::size_t width = 8;
  lanes sums[width]{};
  for (; first != last; first += width * lane_count) {
#pragma GCC unroll 8
    for (std::size_t w = 0; w < width; ++w) {
      sums[w] += *reinterpret_cast<const lanes*>(first + w * lane_count);
    }
  }
  lanes total{};
  for (const lanes& sum : sums) {
    total += sum;
  }
  sink = total[0];
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      return line.substr(std::min(line.find(": "), line.size() - 2) + 2);
    }
  }
  return "unknown";
}

}  // namespace

machine this_machine() {
  return {
    cpu_name(), static_cast<int>(std::thread::hardware_concurrency()),
#if defined(__clang__)
        "clang " __clang_version__,
#else
        "gcc " __VERSION__,
#endif
        GP_BENCH_FLAGS
  };
}

double limits::seconds(double flops, double bytes) const {
  return std::max(flops / (fma_peak_gflops * 1e9), bytes / (read_gbps * 1e9));
}

fma_peak measure_fma_peak(int threads) {
  constexpr std::size_t rounds = 10'000'000;  // about 20 ms
  const auto seconds = repeat(25, [&] { return parallel_seconds(threads, [](int) { multiply_add(rounds); }); });
  const double operations = 2.0 * rounds * chains * lane_count * threads;
  return {operations / median_of(seconds), operations / *std::min_element(seconds.begin(), seconds.end())};
}

double measure_read_bandwidth(int threads) {
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  constexpr std::size_t block = 8 * 64 / sizeof(float);  // a whole number of steps of sum_array, whatever the vectors
  const std::size_t wanted =
      std::max<std::size_t>(std::size_t{256} << 20, 4 * static_cast<std::size_t>(std::max(cache, 0L)));
  const std::size_t share = wanted / sizeof(float) / static_cast<std::size_t>(threads) / block * block;
  const std::size_t count = share * static_cast<std::size_t>(threads);
  std::vector<float> numbers(count + block, 1.0f);
  void* begin = numbers.data();
  std::size_t space = (count + block) * sizeof(float);
  const auto* aligned = static_cast<const float*>(std::align(64, count * sizeof(float), begin, space));
  const double seconds = median_of(repeat(12, [&] {
    return parallel_seconds(threads, [=](int t) {
      const float* first = aligned + static_cast<std::size_t>(t) * share;
      sum_array(first, first + share);
    });
  }));
  return static_cast<double>(count * sizeof(float)) / seconds;
}

}  // namespace bench
