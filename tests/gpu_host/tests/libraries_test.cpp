// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "support.hpp"

using namespace gpu_host_tests;

TEST_CASE("CUB reduces, scans and sorts a block") {
  const with_settings scope(seeded(GENERATE(1, 2, 3, 4)));
  const auto in = numbers(256, 100);
  const device_array<float> floats(converted<float>(in)), sums(std::vector<float>(2));
  run("cub_reduce", grid(2, 128), floats, sums);
  CHECK(sums.values()[0] == float(std::accumulate(in.begin(), in.begin() + 128, 0)));
  CHECK(sums.values()[1] == float(std::accumulate(in.begin() + 128, in.end(), 0)));

  const device_array<int> integers(in), scanned(in);
  std::vector<int> expected(256);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0);
  run("cub_scan", grid(1, 256), integers, scanned);
  CHECK(scanned.values() == expected);

  auto keys = converted<unsigned>(numbers(512, 1u << 24));
  const device_array<unsigned> sorted(keys);
  run("cub_sort", grid(1, 128), sorted);
  std::sort(keys.begin(), keys.end());
  CHECK(sorted.values() == keys);
}

TEST_CASE("Cooperative groups") {
  const with_settings scope(seeded(GENERATE(1, 2, 3)));
  const auto in = numbers(64, 1000);
  const device_array<int> on_device(in), sums(std::vector<int>(4)), reduced(in);
  run("group_tiles", grid(1, 64), on_device, sums, reduced);
  for (std::size_t i = 0; i < 64; ++i) {
    const auto tile = in.begin() + std::ptrdiff_t(i / 16 * 16);
    CHECK(sums.values()[i / 16] == std::accumulate(tile, tile + 16, 0));
    CHECK(reduced.values()[i] == *std::max_element(tile, tile + 16));
  }

  const device_array<int> out(std::vector<int>(64)), count({0});
  run("compact_odd", grid(1, 64), on_device, out, count);
  std::vector<int> odd, kept = out.values();
  std::copy_if(in.begin(), in.end(), std::back_inserter(odd), [](int v) { return v % 2 != 0; });
  REQUIRE(count.values()[0] == int(odd.size()));
  kept.resize(odd.size());
  std::sort(odd.begin(), odd.end());
  std::sort(kept.begin(), kept.end());
  CHECK(kept == odd);
}

TEST_CASE("Asynchronous copies, release and acquire") {
  const with_settings scope(seeded(GENERATE(1, 2, 3)));
  const auto in = converted<float>(numbers(256, 1000));
  const device_array<float> on_device(in), mirrored(in);
  run("copy_asynchronously", grid(1, 64), on_device, mirrored);
  for (std::size_t i = 0; i < 256; ++i)
    REQUIRE(mirrored.values()[i] == in[(63 - i / 4) * 4 + i % 4]);

  const device_array<float> halves(in);
  run("copy_first_half", grid(1, 32), on_device, halves);
  for (std::size_t i = 0; i < 128; ++i)
    REQUIRE(halves.values()[i] == (i % 4 < 2 ? in[i] : 0.f));

  const device_array<int> flag({0}), data({0}), out(std::vector<int>(64));
  run("release_and_acquire", grid(1, 64), flag, data, out);
  auto expected = std::vector<int>(64, 7);
  expected[0] = 0;
  CHECK(out.values() == expected);
}
