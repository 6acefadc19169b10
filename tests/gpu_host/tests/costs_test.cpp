// SPDX-License-Identifier: MIT
// Costs against numbers counted by hand. A sector has 32 bytes, a warp 32 lanes.
#include <catch2/catch.hpp>

#include "support.hpp"

using namespace gpu_host_tests;

namespace {

/// Costs of one launch.
template <class... Arguments>
gpu_host::launch_costs costs_of(const std::string& name, gpu_host::launch_options shape,
                                const Arguments&... arguments) {
  gpu_host::settings counting;
  counting.count = true;
  const with_settings scope(counting);
  gpu_host::take_costs();
  run(name, shape, arguments...);
  auto costs = gpu_host::take_costs();
  REQUIRE(costs.size() == 1);
  return costs.front();
}

void check(const gpu_host::launch_costs::memory& got, std::uint64_t requests, std::uint64_t bytes,
           std::uint64_t sectors, std::uint64_t fewest, std::uint64_t lanes) {
  CHECK(got.requests == requests);
  CHECK(got.bytes == bytes);
  CHECK(got.sectors == sectors);
  CHECK(got.fewest_sectors == fewest);
  CHECK(got.active_lanes == lanes);
}

}  // namespace

TEST_CASE("Coalesced copies need the fewest sectors") {
  const device_array<float> in(std::vector<float>(1024)), out(std::vector<float>(1024));
  const auto floats = costs_of("copy_floats", grid(2, 128), in, out);
  check(floats.global_load, 8, 1024, 32, 32, 256);  // 8 warps, 128 bytes = 4 sectors each
  check(floats.global_store, 8, 1024, 32, 32, 256);
  CHECK(floats.kernel == "copy_floats");
  CHECK(floats.threads == 256);
  CHECK(floats.shape.grid.x == 2);
  CHECK(floats.active_lane_share == 1.0);
  CHECK(floats.instructions % 256 == 0);  // every thread does the same

  const auto vectors = costs_of("copy_float4s", grid(2, 128), in, out);
  check(vectors.global_load, 8, 4096, 128, 128, 256);  // one request of 16 bytes a lane
  check(vectors.global_store, 8, 4096, 128, 128, 256);
}

TEST_CASE("Strides, gathers and broadcasts") {
  const device_array<float> in(std::vector<float>(1024)), out(std::vector<float>(1024));
  const auto strided = costs_of("copy_strided", grid(1, 32), in, out, 2);
  check(strided.global_load, 1, 128, 8, 4, 32);  // 32 floats over 256 bytes
  check(strided.global_store, 1, 128, 4, 4, 32);
  const auto scattered = costs_of("copy_strided", grid(1, 32), in, out, 8);
  check(scattered.global_load, 1, 128, 32, 4, 32);  // a sector each

  const device_array<int> rows({7, 0, 7, 30});
  const auto gathered = costs_of("gather_rows", grid(1, 32), in, rows, out);
  // The row numbers: 16 bytes in one sector. The rows: 128 bytes = 4 sectors each, and one of them twice.
  check(gathered.global_load, 2, 16 + 3 * 128, 1 + 12, 1 + 12, 64);
  check(gathered.global_store, 1, 512, 16, 16, 32);

  const auto same = costs_of("broadcast", grid(1, 64), in, out);
  check(same.global_load, 2, 8, 2, 2, 64);
}

TEST_CASE("Bank conflicts") {
  const device_array<int> out(std::vector<int>(128));
  for (const auto& [stride, extra_passes] : {std::pair{1, 0}, {2, 1}, {3, 0}, {8, 7}, {32, 31}, {33, 0}}) {
    const auto costs = costs_of("shared_stride", grid(1, 32, 33 * 32 * 4), out, stride);
    INFO("stride " << stride);
    CHECK(costs.shared_requests == 2);
    CHECK(costs.shared_conflict_ways == std::uint64_t(2 * extra_passes));  // the write and the read
  }
  const auto vectors = costs_of("shared_vectors", grid(1, 32), out);
  CHECK(vectors.shared_requests == 4);
  CHECK(vectors.shared_conflict_ways == 0);
}

TEST_CASE("Divergence, partial warps and atomics") {
  const device_array<float> in(std::vector<float>(4096)), out(std::vector<float>(4096));
  const auto halves = costs_of("half_warp_loop", grid(1, 64), in, out, 4000);
  CHECK(halves.global_load.requests == 2 * 4000);
  CHECK(halves.global_load.active_lanes == 2 * 4000 * 16);
  CHECK(halves.active_lane_share == Approx(0.5).margin(0.01));  // the loop is nearly all there is
  const auto none = costs_of("half_warp_loop", grid(1, 64), in, out, 0);
  CHECK(none.active_lane_share > 0.9);

  const auto partial = costs_of("copy_floats", grid(1, 40), in, out);
  CHECK(partial.global_load.requests == 2);
  CHECK(partial.global_load.active_lanes == 40);
  CHECK(partial.active_lane_share == Approx(40.0 / 64));

  const device_array<int> counts(std::vector<int>(4));
  const auto atomics = costs_of("count_atomics", grid(3, 64), counts);
  CHECK(atomics.atomic_requests == 6);
  CHECK(atomics.global_load.requests == 0);
}

TEST_CASE("Accesses before and after a meeting of the lanes are never one request") {
  const device_array<float> in(std::vector<float>(96)), out(std::vector<float>(64));
  for (const bool whole_block : {false, true}) {
    const auto costs = costs_of("odd_lanes_read_more", grid(1, 64), in, out, whole_block);
    // Each of 2 warps: row 0 by all lanes (128 bytes, 4 sectors), row 1 by the odd ones (64 bytes in 4 sectors, where 2
    // would do), row 2 by all.
    check(costs.global_load, 2 * 3, 2 * 320, 2 * 12, 2 * 10, 2 * 80);
  }
}

TEST_CASE("Nothing is counted unless asked for") {
  const device_array<float> in(std::vector<float>(64)), out(std::vector<float>(64));
  gpu_host::take_costs();
  run("copy_floats", grid(1, 64), in, out);
  CHECK(gpu_host::take_costs().empty());
}
