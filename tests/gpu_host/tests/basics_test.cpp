// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <numeric>

#include "support.hpp"

using namespace gpu_host_tests;

TEST_CASE("Vectors are added") {
  const with_settings scope(seeded(GENERATE(1, 2, 3)));
  const auto a = converted<float>(numbers(1000, 100, 1)), b = converted<float>(numbers(1000, 100, 2));
  const device_array<float> on_device_a(a), on_device_b(b), sum(std::vector<float>(1000));
  run("add_vectors", grid(4, 256), on_device_a, on_device_b, sum, 1000);
  const auto result = sum.values();
  for (std::size_t i = 0; i < 1000; ++i)
    REQUIRE(result[i] == a[i] + b[i]);
}

TEST_CASE("Blocks reduce in shared memory") {
  const with_settings scope(seeded(GENERATE(1, 2, 3, 4)));
  const auto in = numbers(1000, 100);
  std::vector<int> expected(4);
  for (std::size_t i = 0; i < 1000; ++i)
    expected[i / 256] += in[i];
  const device_array<int> integers(in), sums(std::vector<int>(4));
  run("reduce_static", grid(4, 256), integers, sums, 1000);
  CHECK(sums.values() == expected);
  const device_array<float> floats(converted<float>(in)), float_sums(std::vector<float>(4));
  run("reduce_dynamic", grid(4, 256, 1024), floats, float_sums, 1000);
  CHECK(float_sums.values() == converted<float>(expected));  // small integers: exact in float
}

TEST_CASE("Warps shuffle, vote, match and reduce") {
  const with_settings scope(seeded(GENERATE(1, 2, 3)));
  const auto in = numbers(128, 101);
  const device_array<int> values(in), sums(std::vector<int>(4)), flags(std::vector<int>(4));
  const device_array<unsigned> ballots(std::vector<unsigned>(4));
  run("warp_votes", grid(2, 64), values, sums, ballots, flags);
  for (std::size_t w = 0; w < 4; ++w) {
    const auto first = in.begin() + std::ptrdiff_t(w * 32), last = first + 32;
    unsigned odd = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      odd |= unsigned(first[lane] % 2) << lane;
    CHECK(sums.values()[w] == std::accumulate(first, last, 0));
    CHECK(ballots.values()[w] == odd);
    CHECK(flags.values()[w] == 2 * std::any_of(first, last, [](int v) { return v > 90; }) +
                                   std::all_of(first, last, [](int v) { return v < 100; }));
  }

  const auto few = numbers(64, 5);
  const device_array<int> keys(few), total(few), lowest(few), rotated(few), scanned(few);
  const device_array<unsigned> same(std::vector<unsigned>(64));
  run("warp_matches", grid(1, 64), keys, same, total, lowest, rotated, scanned);
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t first = i / 32 * 32;
    unsigned mask = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      mask |= unsigned(few[first + lane] == few[i]) << lane;
    const auto begin = few.begin() + std::ptrdiff_t(first);
    CHECK(same.values()[i] == mask);
    CHECK(total.values()[i] == std::accumulate(begin, begin + 32, 0));
    CHECK(lowest.values()[i] == *std::min_element(begin, begin + 32));
    CHECK(rotated.values()[i] == few[i / 8 * 8 + (i + 1) % 8]);
    CHECK(scanned.values()[i] == std::accumulate(begin, few.begin() + std::ptrdiff_t(i) + 1, 0));
  }
}

TEST_CASE("Atomic operations lose nothing") {
  const with_settings scope(seeded(GENERATE(1, 2, 3)));
  const auto keys = numbers(1000, 16);
  std::vector<int> expected(16);
  for (const int key : keys)
    ++expected[std::size_t(key)];
  const device_array<int> on_device(keys), counts(std::vector<int>(16));
  const device_array<float> weights(std::vector<float>(16));
  run("histogram", grid(4, 256), on_device, weights, counts, 1000);
  CHECK(counts.values() == expected);
  for (std::size_t k = 0; k < 16; ++k)
    CHECK(weights.values()[k] == 0.5f * float(expected[k]));

  const device_array<unsigned long long> wide({5});
  const device_array<double> sum({0.0});
  const device_array<int> extremes({100, -100, 0, 0});
  const device_array<unsigned> wrapped({0});
  run("atomics", grid(4, 256), on_device, wide, sum, extremes, wrapped, 1000);
  CHECK(wide.values()[0] == 5 + (1000ull << 33));
  CHECK(sum.values()[0] == 0.25 * std::accumulate(keys.begin(), keys.end(), 0));
  CHECK(extremes.values()[0] == 0);
  CHECK(extremes.values()[1] == 15);
  CHECK(extremes.values()[2] == std::accumulate(keys.begin(), keys.end(), 0, std::bit_xor<>()));
  CHECK(extremes.values()[3] == 5);
  CHECK(wrapped.values()[0] == 1000 % 10);  // 0..9, then 0 again
}

TEST_CASE("A sparse matrix times a dense one") {
  const with_settings scope(seeded(GENERATE(1, 2)));
  constexpr std::size_t rows = 50, width = 64;
  std::vector<int> offsets{0};
  for (const int degree : numbers(rows, 70))
    offsets.push_back(offsets.back() + degree);
  const auto columns = numbers(std::size_t(offsets.back()), 20, 3);
  const auto values = converted<float>(numbers(columns.size(), 9, 4)), x = converted<float>(numbers(20 * width, 9, 5));
  std::vector<float> expected(rows * width);  // small integers: exact in any order
  for (std::size_t r = 0; r < rows; ++r)
    for (int k = offsets[r]; k < offsets[r + 1]; ++k)
      for (std::size_t j = 0; j < width; ++j)
        expected[r * width + j] += values[std::size_t(k)] * x[std::size_t(columns[std::size_t(k)]) * width + j];
  const device_array<int> on_device_offsets(offsets), on_device_columns(columns);
  const device_array<float> on_device_values(values), on_device_x(x), y(std::vector<float>(rows * width));
  run("multiply_sparse", grid(7, 256), on_device_offsets, on_device_columns, on_device_values, on_device_x, y,
      int(rows));
  CHECK(y.values() == expected);
}

TEST_CASE("Parameters, variables and local arrays") {
  const with_settings scope(seeded(GENERATE(1, 2)));
  const auto in = numbers(300, 1000);
  const device_array<int> on_device(in), out(std::vector<int>(512));
  struct {
    const int* in;
    int* out;
    int n;
    float factor;
    int table[6];
  } parameter{on_device.get(), out.get(), 300, 1.5f, {10, 20, 30, 40, 50, 60}};
  run("struct_parameter", grid(2, 256), parameter, 4);
  for (std::size_t i = 0; i < 300; ++i)
    REQUIRE(out.values()[i] == int(float(in[i]) * 1.5f) + parameter.table[(i + 4) % 6]);

  run("local_array", grid(2, 256), on_device, out, 300);
  for (std::size_t i = 0; i < 512; ++i) {
    int window[16], sum = 0;
    for (std::size_t j = 0; j < 16; ++j)
      window[j] = in[(i + j) % 300];
    for (int j = 0; j < 8; ++j) {
      sum = int(unsigned(sum) * 3u) + window[(in[i % 300] + j) & 15];
      window[sum & 15] += j;
    }
    REQUIRE(out.values()[i] == sum);
  }

  const device_array<float> results(std::vector<float>(32));
  const gpu_host::symbol* launches = gpu_host::find_symbol("launches");
  REQUIRE(launches);
  REQUIRE(launches->bytes == 4);
  const unsigned* count = heap::host_array(reinterpret_cast<const unsigned*>(*launches->address), 1);
  const unsigned before = *count;
  run("variables", grid(1, 32), results);
  const int fibonacci[] = {1, 2, 3, 5, 8, 13, 21, 34}, shorts[] = {7, -8, 9};
  const float table[] = {0.5f, -1.f, 2.f, 4.f};
  for (int i = 0; i < 32; ++i)
    CHECK(results.values()[std::size_t(i)] ==
          float(fibonacci[i % 8]) + table[i % 4] * 100.f - 1000.f + float(shorts[i % 3]));
  CHECK(*count == before + 1);
}

TEST_CASE("Device functions that aren't inlined") {
  const with_settings scope(seeded(GENERATE(1, 2)));
  const device_array<float> out(std::vector<float>(32));
  const device_array<int> calls({0});
  run("calls", grid(1, 32), out, calls, 1.5f);
  for (std::size_t i = 0; i < 32; ++i)
    CHECK(out.values()[i] == float(31 - i) * 1.5f + 3.f);
  CHECK(calls.values()[0] == 32);
}

TEST_CASE("Blocks and warps hand values over with fences") {
  const with_settings scope(seeded(GENERATE(1, 2, 3, 4, 5)));
  const auto in = numbers(1000, 100);
  const device_array<int> on_device(in), total({-1});
  const auto partial = device_array<int>::uninitialised(8);
  run("last_block_sums", grid(8, 128), on_device, partial, total, 1000);
  CHECK(total.values()[0] == std::accumulate(in.begin(), in.end(), 0));

  const device_array<int> flag({0}), data({0}), out({0});
  run("wait_for_flag", grid(1, 64), flag, data, out);
  CHECK(out.values()[0] == 42);
}

TEST_CASE("Kernels print") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file);
  std::fflush(stdout);
  const int terminal = dup(fileno(stdout));
  dup2(fileno(file), fileno(stdout));
  run("print_thread", grid(1, 1), 7);
  std::fflush(stdout);
  dup2(terminal, fileno(stdout));
  close(terminal);
  std::rewind(file);
  char text[80] = {};
  CHECK(std::fgets(text, sizeof text, file));
  CHECK(std::string(text) == "thread 7 of 12.50%\n");
  std::fclose(file);
}

TEST_CASE("Barriers that count, and grids of three dimensions") {
  const with_settings scope(seeded(GENERATE(1, 2)));
  auto in = numbers(96, 2);
  in[0] = 1;
  in[1] = 0;
  const device_array<int> on_device(in), out(std::vector<int>(96));
  run("block_votes", grid(1, 96), on_device, out);
  CHECK(out.values() == std::vector<int>(96, int(std::count(in.begin(), in.end(), 1)) * 4 + 0 * 2 + 1));

  const auto all = device_array<int>::uninitialised(2 * 3 * 4 * 24);
  run("grid_of_three_dimensions", {{2, 3, 4}, {4, 3, 2}, 0}, all);
  for (int i = 0; i < 24 * 24; ++i)
    REQUIRE(all.values()[std::size_t(i)] == i / 24 * 1000 + i % 24);
}
