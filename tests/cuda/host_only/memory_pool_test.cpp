// SPDX-License-Identifier: MIT
// Device memory: how often the device is asked for it, what is said when there is none, that all goes back.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/host_only/fresh_device.hpp"
#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/ops/elementwise.hpp"

namespace gp = graphpatcher;
using Catch::Contains;
using gp::backend::device_array;
using gp::backend::memory_use_of;
using gp::test::fresh_device;
using gp::test::live_objects;
using gpu_host::call_count;

namespace {

/// Bytes that the pool takes from the device for an array of `bytes` bytes.
std::size_t block_for(std::size_t bytes) {
  const gp::cuda exec;
  const device_array<char> array(exec, bytes);
  return memory_use_of(exec).bytes_held;
}

/// GRAPHPATCHER_NO_POOL=1 while in scope.
struct without_pool {
  without_pool() { setenv("GRAPHPATCHER_NO_POOL", "1", 1); }
  ~without_pool() { unsetenv("GRAPHPATCHER_NO_POOL"); }
};

}  // namespace

TEST_CASE("memory pool: a released block is handed out again, without a call", "[cuda]") {
  const fresh_device device;
  {
    const gp::cuda exec;
    const void* first = nullptr;
    {
      const device_array<float> a(exec, 300);
      first = a.data();
      CHECK(memory_use_of(exec).bytes_in_use == 1280);
    }
    CHECK(memory_use_of(exec).bytes_in_use == 0);
    CHECK(memory_use_of(exec).bytes_held == 1280);
    gpu_host::reset_call_counts();
    const device_array<char> same_class(exec, 1100);
    CHECK(same_class.data() == first);
    CHECK(gpu_host::call_counts().empty());
    const device_array<char> another(exec, 1100);  // the only block of this size is taken
    CHECK(another.data() != first);
    CHECK(call_count("cudaMalloc") == 1);
    CHECK(call_count("cudaStreamSynchronize") == 0);
    CHECK(memory_use_of(exec).bytes_held == 2560);
    CHECK(reinterpret_cast<std::uintptr_t>(another.data()) % 256 == 0);
  }
  CHECK(live_objects() == 0);
}

TEST_CASE("memory pool: sizes of blocks", "[cuda]") {
  const fresh_device device;
  CHECK(block_for(0) == 0);
  CHECK(block_for(1) == 512);
  CHECK(block_for(512) == 512);
  CHECK(block_for(513) == 640);  // four classes from one power of two to the next
  CHECK(block_for(641) == 768);
  CHECK(block_for(1024) == 1024);
  CHECK(block_for(1025) == 1280);
  for (std::size_t bytes = 600; bytes < 5'000'000; bytes += bytes / 7) {
    const std::size_t block = block_for(bytes);
    INFO(bytes << " bytes in a block of " << block);
    CHECK(block >= bytes);
    CHECK(4 * (block - bytes) < block);  // less than a quarter is wasted
  }
  const gp::cuda exec;
  CHECK(device_array<char>(exec, 0).data() == nullptr);
}

TEST_CASE("memory pool: steady work takes no more memory after its first round", "[cuda]") {
  const fresh_device device;
  const gp::cuda exec;
  const auto round = [&](std::size_t rows) {
    gp::matrix<float> a(exec, rows, 40);
    gp::matrix<float> b(exec, rows, 40);
    gp::add(exec, a, b, b.view());
    a = b;
    gp::sum(exec, b.view());
  };
  round(90);
  const auto held = memory_use_of(exec).bytes_held;
  gpu_host::reset_call_counts();
  for (std::size_t rows = 90; rows <= 100; ++rows) {  // batches of about the same size, in blocks of 16 KiB
    round(rows);
  }
  CHECK(memory_use_of(exec).bytes_held == held);
  CHECK(call_count("cudaMalloc") == 0);
  CHECK(call_count("cudaFree") == 0);
}

TEST_CASE("memory pool: free blocks go back before memory runs out", "[cuda]") {
  const fresh_device device;
  const gp::cuda exec;
  gpu_host::set_memory_limit(1 << 20);
  { const device_array<char> a(exec, 700'000); }
  const device_array<char> b(exec, 1'000'000);  // there is room only without the free block
  CHECK(call_count("cudaFree") == 1);
  CHECK(memory_use_of(exec).bytes_held == 1 << 20);
}

TEST_CASE("memory pool: out of memory", "[cuda]") {
  const fresh_device device;
  const gp::cuda exec;
  gpu_host::set_memory_limit(1 << 20);
  const std::vector<float> numbers{1, 2, 3};
  device_array<float> kept(exec, numbers);
  const device_array<char> large(exec, 500'000);
  CHECK_THROWS_AS(device_array<char>(exec, 800'000), gp::out_of_memory_error);
  CHECK_THROWS_WITH(device_array<char>(exec, 800'000),
                    Contains("asked for 917504 bytes") && Contains("holds 524800 bytes, 524800 of them in use") &&
                        Contains("of 1048576 bytes free") && Contains("smaller batches"));
  // Numbers that nothing could hold, in bytes and in elements.
  CHECK_THROWS_AS(gp::backend::allocate(exec, static_cast<std::size_t>(-1)), gp::out_of_memory_error);
  CHECK_THROWS_WITH(device_array<double>(exec, static_cast<std::size_t>(-1) / 2), Contains("do not fit"));
  CHECK_THROWS_AS((gp::matrix<double>(exec, 1ull << 40, 1ull << 40)), gp::overflow_error);
  // Nothing is left behind that a later call would stumble over.
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  CHECK(memory_use_of(exec).bytes_in_use == 524'800);
  std::vector<float> back(3);
  gp::backend::download(exec, back.data(), kept.data(), 12);
  CHECK(back == numbers);
  CHECK_NOTHROW(device_array<char>(exec, 400'000));
}

TEST_CASE("memory pool: without it, blocks have exactly the size asked for and are freed at once", "[cuda]") {
  const fresh_device device;
  const without_pool off;
  {
    const gp::cuda exec;
    {
      const device_array<char> a(exec, 1001);
      CHECK(memory_use_of(exec).bytes_held == 1001);
    }
    CHECK(memory_use_of(exec).bytes_held == 0);
    CHECK(call_count("cudaFree") == 1);
  }
  CHECK(live_objects() == 0);
}

TEST_CASE("memory pool: memory outlives the handle that it was made with", "[cuda]") {
  const fresh_device device;
  {
    gp::matrix<double> there;
    {
      const gp::cuda exec;
      there = gp::matrix<double>({{1, 2}, {3, 4}}).copy_on(exec);
    }
    CHECK(live_objects() > 0);
    CHECK(there.copy_on(gp::cpu{})(1, 0) == 3);
  }
  CHECK(live_objects() == 0);
}

TEST_CASE("uploads: the source may change as soon as the call returns", "[cuda]") {
  const fresh_device device;
  gpu_host::set_schedule({.seed = 1, .early = 0});  // nothing runs before something waits for it
  const gp::cuda exec;
  const std::size_t count = 1000;
  float* pinned = nullptr;
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&pinned), count * sizeof(float)) == cudaSuccess);
  std::vector<float> pageable(count);
  for (float* const source : {pageable.data(), pinned}) {
    std::iota(source, source + count, 0.0f);
    const std::vector<float> expected(source, source + count);
    const device_array<float> there(exec, count);
    gp::backend::upload(exec, there.data(), source, count * sizeof(float));
    std::fill(source, source + count, -1.0f);
    std::vector<float> back(count);
    gp::backend::download(exec, back.data(), there.data(), count * sizeof(float));
    CHECK(back == expected);
  }
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

TEST_CASE("mirrors: one copy an executor, made on first use", "[cuda]") {
  const fresh_device device;
  const std::vector<float> host{1, 2, 3};
  const auto read = [](const gp::cuda& exec, std::span<const float> there) {
    std::vector<float> back(there.size());
    gp::backend::download(exec, back.data(), there.data(), there.size_bytes());
    return back;
  };
  {
    const gp::backend::device_mirror<float> mirror;
    const gp::cuda first;
    const auto copy = mirror.of(first, host);
    gpu_host::reset_call_counts();
    CHECK(mirror.of(first, host).data() == copy.data());
    CHECK(gpu_host::call_counts().empty());
    CHECK(read(first, copy) == host);
    const gp::cuda second;
    CHECK(read(second, mirror.of(second, host)) == host);
    CHECK(memory_use_of(first).bytes_in_use == 0);
  }
  CHECK(live_objects() == 0);
}
