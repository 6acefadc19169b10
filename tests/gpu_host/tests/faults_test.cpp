// SPDX-License-Identifier: MIT
// Kernels with a mistake: each is found, as the right kind, at the right line, with any seed. Their right versions
// pass.
#include <catch2/catch.hpp>
#include <string>

#include "engine/device_memory.hpp"
#include "support.hpp"

using namespace gpu_host_tests;
using gpu_host::fault_kind;

namespace {

const std::string faults_file = GPU_HOST_TESTS "/kernels_faults.cu";

gpu_host::settings without_preemption(std::uint64_t seed) {
  gpu_host::settings made;
  made.seed = seed;
  return made;
}
/// Reading before another thread has written is a race, and the read of something uninitialised as well.
gpu_host::settings races_only(std::uint64_t seed) {
  auto made = without_preemption(seed);
  made.detect_uninitialised = false;
  return made;
}

template <class Launch>
gpu_host::fault expect_fault(fault_kind kind, const std::string& kernel, Launch launch,
                             const std::string& file = faults_file) {
  const auto found = fault_of(launch);
  INFO(kernel);
  REQUIRE(found.has_value());
  INFO(found->what());
  CHECK(found->kind == kind);
  CHECK(found->kernel == kernel);
  CHECK(found->file == file);
  const auto lines = marked_lines(file, kernel);
  CHECK(std::find(lines.begin(), lines.end(), found->line) != lines.end());
  CHECK(std::string(found->what()).find(":" + std::to_string(found->line)) != std::string::npos);
  return *found;
}

}  // namespace

TEST_CASE("Races in shared memory") {
  const std::uint64_t seed = GENERATE(1, 2, 3, 4, 5, 6, 7, 8);
  const with_settings scope(races_only(seed));
  const device_array<float> floats(std::vector<float>(256, 1.f)), float_out(std::vector<float>(256));
  const device_array<int> integers(numbers(64, 100)), out(std::vector<int>(64));
  expect_fault(fault_kind::race_shared, "missing_barrier",
               [&] { run("missing_barrier", grid(1, 256), floats, float_out); });
  expect_fault(fault_kind::race_shared, "missing_syncwarp",
               [&] { run("missing_syncwarp", grid(1, 32), integers, out); });
  expect_fault(fault_kind::race_shared, "shuffle_is_no_syncwarp",
               [&] { run("shuffle_is_no_syncwarp", grid(1, 32), integers, out); });
  expect_fault(fault_kind::race_shared, "half_warp", [&] { run("half_warp", grid(1, 32), integers, out); });
  expect_fault(fault_kind::race_shared, "write_after_read",
               [&] { run("write_after_read", grid(1, 64), floats, float_out); });

  gpu_host::current_settings() = without_preemption(seed);
  run("missing_barrier_right", grid(1, 256), floats, float_out);
  CHECK(float_out.values()[0] == 256.f);
  run("missing_syncwarp_right", grid(1, 32), integers, out);
  run("half_warp_right", grid(1, 32), integers, out);
  CHECK(out.values()[0] == integers.values()[15]);
  run("write_after_read_right", grid(1, 64), floats, float_out);
  CHECK(float_out.values()[5] == 6.f);
}

TEST_CASE("Races in global memory") {
  const std::uint64_t seed = GENERATE(1, 2, 3, 4, 5, 6, 7, 8);
  const with_settings scope(without_preemption(seed));
  const device_array<int> keys(numbers(256, 7)), out(std::vector<int>(256)), total({0});
  const device_array<float> sums(std::vector<float>(7));
  expect_fault(fault_kind::race_global, "missing_atomic", [&] { run("missing_atomic", grid(4, 64), keys, sums); });
  // A single thread in each block: only blocks race.
  expect_fault(fault_kind::race_global, "missing_atomic", [&] { run("missing_atomic", grid(64, 1), keys, sums); });
  const auto across = expect_fault(fault_kind::race_global, "overlapping_blocks",
                                   [&] { run("overlapping_blocks", grid(3, 64), out, 60); });
  CHECK(std::string(across.what()).find("of block (") != std::string::npos);
  run("overlapping_blocks", grid(3, 64), out, 64);
  run("missing_atomic_right", grid(4, 64), keys, sums);

  expect_fault(fault_kind::race_global, "missing_fence", [&] { run("missing_fence", grid(8, 1), out, total); });
  *heap::host_array(reinterpret_cast<const unsigned*>(*gpu_host::find_symbol("ticket")->address), 1) = 0;
  run("missing_fence_right", grid(8, 1), out, total);
  CHECK(total.values()[0] == 36);
}

TEST_CASE("Reads that are overwritten without order") {
  const with_settings scope(without_preemption(GENERATE(1, 2, 3, 4)));
  const device_array<int> cell({0}), flag({0}), out(std::vector<int>(32));
  expect_fault(fault_kind::race_global, "overwritten_by_lane",
               [&] { run("overwritten_by_lane", grid(1, 32), cell, out); });
  expect_fault(fault_kind::race_global, "overwritten_by_reader",
               [&] { run("overwritten_by_reader", grid(1, 32), cell, out); });
  expect_fault(fault_kind::race_global, "overwritten_by_warp",
               [&] { run("overwritten_by_warp", grid(1, 64), cell, flag, out); });
}

TEST_CASE("Accesses out of bounds") {
  const with_settings scope(without_preemption(GENERATE(1, 2, 3)));
  const device_array<int> out(std::vector<int>(64)), in(std::vector<int>(64));
  const auto overflow =
      expect_fault(fault_kind::out_of_bounds, "static_overflow", [&] { run("static_overflow", grid(1, 64), out, 1); });
  CHECK(overflow.thread.x == 63);
  CHECK(std::string(overflow.what()).find("byte 256 of the shared variable") != std::string::npos);
  expect_fault(fault_kind::out_of_bounds, "static_overflow", [&] { run("static_overflow", grid(1, 64), out, -1); });
  expect_fault(fault_kind::out_of_bounds, "dynamic_overflow", [&] { run("dynamic_overflow", grid(1, 64, 252), out); });
  const auto past = expect_fault(fault_kind::out_of_bounds, "global_overflow",
                                 [&] { run("global_overflow", grid(2, 64), in, out, 64); });
  CHECK(past.block.x == 1);
  CHECK(past.thread.x == 0);
  CHECK(std::string(past.what()).find("byte 256 of an allocation of 256 bytes") != std::string::npos);
  expect_fault(fault_kind::out_of_bounds, "null_pointer",
               [&] { run("null_pointer", grid(1, 1), static_cast<int*>(nullptr)); });
  int on_host = 0;
  expect_fault(fault_kind::out_of_bounds, "null_pointer", [&] { run("null_pointer", grid(1, 1), &on_host); });

  run("static_overflow", grid(1, 64), out, 0);
  CHECK(out.values()[0] == 63);
  run("dynamic_overflow", grid(1, 64, 256), out);
  run("global_overflow", grid(1, 64), in, out, 64);
}

TEST_CASE("Freed and uninitialised memory") {
  const with_settings scope(without_preemption(GENERATE(1, 2, 3)));
  const device_array<int> out(std::vector<int>(64));
  int* freed = nullptr;
  {
    const device_array<int> in(std::vector<int>(64));
    run("copy_elements", grid(1, 64), in, out);
    freed = in.get();
  }
  expect_fault(fault_kind::use_after_free, "copy_elements", [&] { run("copy_elements", grid(1, 64), freed, out); });

  const auto fresh = device_array<int>::uninitialised(64);
  expect_fault(fault_kind::uninitialised, "copy_elements", [&] { run("copy_elements", grid(1, 64), fresh, out); });
  run("copy_elements", grid(1, 64), out, fresh);  // written by a kernel
  run("copy_elements", grid(1, 64), fresh, out);

  const auto bytes = device_array<unsigned char>::uninitialised(64),
             targets = device_array<unsigned char>::uninitialised(64);
  heap::mark_written(bytes.get(), 37);
  const auto found =
      expect_fault(fault_kind::uninitialised, "read_bytes", [&] { run("read_bytes", grid(1, 38), bytes, targets); });
  CHECK(found.thread.x == 37);
  run("read_bytes", grid(1, 37), bytes, targets);

  expect_fault(fault_kind::uninitialised, "uninitialised_shared",
               [&] { run("uninitialised_shared", grid(1, 32), out); });
  run("uninitialised_shared_right", grid(1, 32), out);
  CHECK(out.values()[31] == 32);
}

TEST_CASE("Barriers and warp operations that don't meet") {
  const with_settings scope(without_preemption(GENERATE(1, 2, 3, 4)));
  const device_array<int> out(std::vector<int>(64));
  expect_fault(fault_kind::divergent_barrier, "branch_barrier", [&] { run("branch_barrier", grid(1, 32), out); });
  expect_fault(fault_kind::divergent_barrier, "two_barriers", [&] { run("two_barriers", grid(1, 32), out); });
  expect_fault(fault_kind::wrong_mask, "mask_without_caller", [&] { run("mask_without_caller", grid(1, 32), out); });
  expect_fault(fault_kind::wrong_mask, "masks_disagree", [&] { run("masks_disagree", grid(1, 32), out); });
  expect_fault(fault_kind::warp_deadlock, "absent_lanes", [&] { run("absent_lanes", grid(1, 32), out); });
  expect_fault(fault_kind::mismatched_warp_operation, "different_operations",
               [&] { run("different_operations", grid(1, 32), out); });
  run("absent_lanes_right", grid(1, 32), out);
  CHECK(out.values()[3] == 4);

  auto relaxed = gpu_host::current_settings();
  relaxed.allow_exit_before_barrier = true;
  gpu_host::current_settings() = relaxed;
  run("branch_barrier", grid(1, 32), out);  // threads that have returned don't count
  CHECK(out.values()[20] == 1);
}

TEST_CASE("Misaligned accesses") {
  const device_array<float> in(std::vector<float>(130)), out(std::vector<float>(64));
  expect_fault(fault_kind::misaligned, "misaligned_vector", [&] { run("misaligned_vector", grid(1, 64), in, out, 1); });
  run("misaligned_vector", grid(1, 64), in, out, 2);
  // A float array in shared memory is aligned to 4 bytes: where it lies is the compiler's choice.
  expect_fault(fault_kind::misaligned, "misaligned_shared", [&] { run("misaligned_shared", grid(1, 32), out); });
}

TEST_CASE("Assertions, traps and endless waits") {
  auto values = numbers(100, 1000);
  values[42] = -1;
  const device_array<int> in(values), out(std::vector<int>(100));
  const auto failed = expect_fault(
      fault_kind::device_assert, "checked_division", [&] { run("checked_division", grid(2, 64), in, out, 100); },
      GPU_HOST_TESTS "/kernels_basics.cu");
  CHECK(std::string(failed.what()).find("in[i] >= 0") != std::string::npos);
  CHECK(failed.thread.x == 42);
  run("checked_division", grid(1, 42), in, out, 42);
  CHECK(out.values()[41] == values[41] / 7 + values[41] % 13);

  const auto trapped = expect_fault(fault_kind::device_assert, "traps", [&] { run("traps", grid(1, 32), out); });
  CHECK(trapped.thread.x == 5);
  const device_array<int> flag({0});
  expect_fault(fault_kind::unsupported, "wait_for_ever", [&] { run("wait_for_ever", grid(1, 4), flag, out); });
}

TEST_CASE("Launches that a device would refuse") {
  const device_array<int> out(std::vector<int>(2048));
  const auto refused = [&](const char* kernel, gpu_host::launch_options shape) {
    const auto found = fault_of([&] { run(kernel, shape, out); });
    REQUIRE(found.has_value());
    CHECK(found->kind == fault_kind::bad_launch);
    CHECK(found->kernel == kernel);
  };
  refused("branch_barrier", grid(1, 0));
  refused("branch_barrier", grid(1, 1025));
  refused("branch_barrier", grid(0, 32));
  refused("branch_barrier", {{1, 65536, 1}, {32, 1, 1}, 0});
  refused("branch_barrier", {{1, 1, 1}, {1, 1, 65}, 0});
  refused("dynamic_overflow", grid(1, 32, 227 * 1024 + 1));
  refused("at_most_128", grid(1, 129));
  run("at_most_128", grid(1, 128), out);
  run("dynamic_overflow", grid(1, 32, 227 * 1024), out);
}

TEST_CASE("Device memory") {
  const std::size_t bytes = heap::bytes_in_use(), blocks = heap::blocks_in_use();
  void* first = heap::allocate(100);
  CHECK(reinterpret_cast<std::uintptr_t>(first) % 256 == 0);
  CHECK(heap::bytes_in_use() == bytes + 100);
  CHECK(heap::blocks_in_use() == blocks + 1);
  CHECK(heap::peak_bytes() >= bytes + 100);
  CHECK(heap::owns(first, 100));
  CHECK_FALSE(heap::owns(first, 101));
  CHECK_FALSE(heap::owns(static_cast<char*>(first) + 1, 100));
  CHECK_FALSE(heap::owns(&bytes, 1));
  CHECK_THROWS_AS(heap::host_view(first, 101), std::out_of_range);
  CHECK_FALSE(heap::is_written(first, 1));
  heap::mark_written(first, 10);
  CHECK(heap::is_written(first, 10));
  CHECK_FALSE(heap::is_written(first, 11));
  void* second = heap::allocate(100);
  heap::copy_written_state(static_cast<char*>(second) + 3, first, 20);
  CHECK(heap::is_written(static_cast<char*>(second) + 3, 10));
  CHECK_FALSE(heap::is_written(static_cast<char*>(second) + 2, 2));
  CHECK_FALSE(heap::is_written(static_cast<char*>(second) + 12, 2));
  CHECK_FALSE(heap::release(static_cast<char*>(first) + 4));
  CHECK(heap::release(first));
  CHECK_FALSE(heap::release(first));
  CHECK(heap::release(second));
  CHECK(heap::release(nullptr));
  CHECK(heap::allocate(heap::capacity() + 1) == nullptr);
  CHECK(heap::bytes_in_use() == bytes);
}

TEST_CASE("Places of freed memory are used again, late") {
  gpu_host::device_memory small(1 << 20);
  const std::uint64_t first = small.allocate(1000);
  CHECK(small.release(first));
  const std::uint64_t kept = small.allocate(200'000);
  CHECK(kept != first);
  CHECK(small.is_freed(first));
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t next = small.allocate(500'000);
    REQUIRE(next != 0);
    CHECK((next + 500'000 <= kept || next >= kept + 200'000));
    CHECK(small.release(next));
  }
  CHECK(small.owns(kept, 200'000));
  CHECK(small.allocate(900'000) == 0);
}
