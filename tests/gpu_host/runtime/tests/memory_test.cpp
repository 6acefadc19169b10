// SPDX-License-Identifier: MIT
#include <cstring>

#include "support.hpp"

TEST_CASE("memory comes in exact sizes and is counted", "[runtime]") {
  const lazy_device device;
  void *a, *b, *nothing = &a;
  GP_OK(cudaMalloc(&a, 100));
  GP_OK(cudaMallocHost(&b, 200));
  GP_OK(cudaMalloc(&nothing, 0));
  REQUIRE(nothing == nullptr);
  const auto live = gpu_host::live_allocations();
  REQUIRE(live.size() == 2);
  REQUIRE(live[0].bytes == 100);
  REQUIRE(live[0].space == gpu_host::memory_space::device);
  REQUIRE(live[1].bytes == 200);
  REQUIRE(live[1].space == gpu_host::memory_space::pinned_host);
  GP_OK(cudaFree(a));
  GP_OK(cudaFree(nullptr));
  GP_OK(cudaFreeHost(b));
  REQUIRE(gpu_host::live_allocations().empty());
  REQUIRE(cudaFree(a) == cudaErrorInvalidValue);
  REQUIRE(cudaFreeHost(b) == cudaErrorInvalidValue);
}

TEST_CASE("the memory limit", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  gpu_host::set_memory_limit(1000);
  void *a, *b = nullptr;
  GP_OK(cudaMalloc(&a, 600));
  std::size_t free, total;
  GP_OK(cudaMemGetInfo(&free, &total));
  REQUIRE(free == 400);
  REQUIRE(total == 1000);
  REQUIRE(cudaMalloc(&b, 401) == cudaErrorMemoryAllocation);
  REQUIRE(cudaMallocAsync(&b, 401, stream) == cudaErrorMemoryAllocation);
  REQUIRE(b == nullptr);
  REQUIRE(cudaGetLastError() == cudaErrorMemoryAllocation);
  REQUIRE(cudaGetLastError() == cudaSuccess);  // an allocation that fails breaks nothing
  GP_OK(cudaFreeAsync(a, stream));
  GP_OK(cudaMallocAsync(&b, 1000, stream));  // the queued free makes room
  GP_OK(cudaFree(b));
}

TEST_CASE("memory of a stream is freed in its order", "[runtime]") {
  const lazy_device device;
  const test_stream stream, other;
  float* x;
  GP_OK(cudaMallocAsync(reinterpret_cast<void**>(&x), 4, stream));
  GP_OK(cudaMemsetAsync(x, 0, 4, stream));
  GP_OK(launch_scale(x, 1, stream));
  GP_OK(cudaFreeAsync(x, stream));
  REQUIRE(gpu_host::live_allocations().empty());
  REQUIRE(cudaFreeAsync(x, stream) == cudaErrorInvalidValue);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
  SECTION("used before, that is right") {
    GP_OK(cudaDeviceSynchronize());
  }
  SECTION("used later by another stream, it is a fault") {
    GP_OK(launch_scale(x, 1, other));
    GP_OK(cudaStreamSynchronize(stream));
    REQUIRE(cudaStreamSynchronize(other) == cudaErrorIllegalAddress);
  }
}

TEST_CASE("pools have attributes and know what is in use", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  cudaMemPool_t pool;
  GP_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t threshold = 12345, found = 0;
  GP_OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  GP_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &found));
  REQUIRE(found == threshold);
  void* x;
  GP_OK(cudaMallocFromPoolAsync(&x, 64, pool, stream));
  GP_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &found));
  REQUIRE(found == 64);
  GP_OK(cudaFreeAsync(x, stream));
  GP_OK(cudaStreamSynchronize(stream));
  GP_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &found));
  REQUIRE(found == 0);
  GP_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &found));
  REQUIRE(found == 64);
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 1) == cudaErrorInvalidDevice);
}

TEST_CASE("copies check both ends", "[runtime]") {
  const lazy_device device;
  const device_array<float> x(floats{1, 2, 3});
  floats host(4);
  const auto copy = [&](void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return cudaMemcpy(to, from, bytes, kind);
  };
  REQUIRE(copy(host.data(), x.data(), 12, cudaMemcpyDefault) == cudaSuccess);
  REQUIRE(host == floats{1, 2, 3, 0});
  REQUIRE(copy(host.data(), x.data(), 13, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);  // beyond the end
  REQUIRE(copy(host.data(), x.data(), 12, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);  // wrong direction
  REQUIRE(copy(nullptr, x.data(), 12, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  REQUIRE(copy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
  void* freed;
  GP_OK(cudaMalloc(&freed, 16));
  GP_OK(cudaFree(freed));
  REQUIRE(copy(host.data(), freed, 4, cudaMemcpyDefault) == cudaErrorInvalidValue);
  REQUIRE(cudaMemset(x.data(), 0, 13) == cudaErrorInvalidValue);
}

TEST_CASE("copies and fills in two dimensions leave the gaps alone", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  const device_array<float> x(floats{0, 0, 0, 0, 0, 0});
  const floats rows{1, 2, 9, 3, 4, 9};
  GP_OK(cudaMemcpy2D(x.data(), 12, rows.data(), 12, 8, 2, cudaMemcpyHostToDevice));
  REQUIRE(x.read() == floats{1, 2, 0, 3, 4, 0});
  floats packed(4);
  GP_OK(cudaMemcpy2DAsync(packed.data(), 8, x.data(), 12, 8, 2, cudaMemcpyDeviceToHost, stream));
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(packed == floats{1, 2, 3, 4});
  GP_OK(cudaMemset2DAsync(x.data(), 12, 0, 4, 2, stream));
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(x.read() == floats{0, 2, 0, 0, 4, 0});
  REQUIRE(cudaMemcpy2D(x.data(), 4, rows.data(), 12, 8, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
}

TEST_CASE("fills and copies on the device don't make the host wait", "[runtime]") {
  const lazy_device device;
  const device_array<float> x(floats{1}), y(floats{2});
  GP_OK(cudaMemset(x.data(), 0, 4));
  GP_OK(cudaMemcpy(y.data(), x.data(), 4, cudaMemcpyDeviceToDevice));
  REQUIRE(gpu_host::pending_operations() == 2);
  REQUIRE(y.read() == floats{0});
}

TEST_CASE("device variables", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  const device_array<float> x(floats{1});
  GP_OK(set_factor(5));
  GP_OK(launch_scale(x.data(), 1, stream));
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(x.read() == floats{5});
  GP_OK(launch_count(nullptr));
  GP_OK(launch_count(nullptr));
  int count = 0;
  GP_OK(read_counter(&count));
  REQUIRE(count == 2);
  gpu_host::reset_device();
  GP_OK(read_counter(&count));
  REQUIRE(count == 0);  // a new context starts from the initial values
  REQUIRE(cudaMemcpyToSymbol(&count, &count, 4, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidSymbol);
}

TEST_CASE("what a pointer points to", "[runtime]") {
  const lazy_device device;
  const device_array<float> x(2);
  cudaPointerAttributes attributes;
  GP_OK(cudaPointerGetAttributes(&attributes, x.data() + 1));
  REQUIRE(attributes.type == cudaMemoryTypeDevice);
  floats pageable(4);
  GP_OK(cudaPointerGetAttributes(&attributes, pageable.data()));
  REQUIRE(attributes.type == cudaMemoryTypeUnregistered);
  GP_OK(cudaHostRegister(pageable.data(), 16, cudaHostRegisterDefault));
  GP_OK(cudaPointerGetAttributes(&attributes, pageable.data() + 3));
  REQUIRE(attributes.type == cudaMemoryTypeHost);
  REQUIRE(cudaHostRegister(pageable.data() + 1, 4, 0) == cudaErrorHostMemoryAlreadyRegistered);
  GP_OK(cudaHostUnregister(pageable.data()));
  REQUIRE(cudaHostUnregister(pageable.data()) == cudaErrorHostMemoryNotRegistered);
}
