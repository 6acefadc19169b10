// SPDX-License-Identifier: MIT
//
// Order and asynchrony: what runs when, and what a program that doesn't wait gets to see.
#include "support.hpp"

TEST_CASE("an ordinary program runs, for any order of early work", "[runtime]") {
  for (int seed = 0; seed < 20; ++seed) {
    gpu_host::reset_device();
    gpu_host::set_schedule({.seed = static_cast<std::uint64_t>(seed), .early = seed % 5 * 0.25});
    CAPTURE(seed);
    REQUIRE(ordinary_program({0, 1, 2, -1}) == floats{4, 13, 22, -5});  // 3 (3 x + 1) + 1
    REQUIRE(gpu_host::live_allocations().empty());
    REQUIRE(gpu_host::live_streams() + gpu_host::live_events() + gpu_host::live_graphs() == 0);
    REQUIRE(gpu_host::pending_operations() == 0);
  }
}

TEST_CASE("a result read before the wait isn't there", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  const device_array<float> x(floats{1, 2});
  floats seen{7, 7};
  GP_OK(launch_scale(x.data(), 2, stream));
  GP_OK(cudaMemcpyAsync(seen.data(), x.data(), x.bytes(), cudaMemcpyDeviceToHost, stream));
  REQUIRE(gpu_host::pending_operations() == 2);
  REQUIRE(seen[0] != 2.f);
  REQUIRE(seen[0] != 7.f);  // nor is what was there before: the destination of a copy is nobody's until it has run
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(seen == floats{2, 4});
}

TEST_CASE("pageable memory is read by the call, pinned memory when the copy runs", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  float* pinned;
  GP_OK(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(float)));
  float pageable = *pinned = 1;
  const device_array<float> from_pageable(1), from_pinned(1);
  GP_OK(cudaMemcpyAsync(from_pageable.data(), &pageable, 4, cudaMemcpyHostToDevice, stream));
  GP_OK(cudaMemcpyAsync(from_pinned.data(), pinned, 4, cudaMemcpyHostToDevice, stream));
  pageable = *pinned = 2;
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(from_pageable.read() == floats{1});
  REQUIRE(from_pinned.read() == floats{2});
  GP_OK(cudaFreeHost(pinned));
}

TEST_CASE("only events order two streams", "[runtime]") {
  const lazy_device device;
  const test_stream first, second;
  cudaEvent_t event;
  GP_OK(cudaEventCreate(&event));
  const device_array<float> x(floats{1}), sum(1);
  GP_OK(launch_scale(x.data(), 1, first));
  SECTION("without one, the second doesn't wait") {
    GP_OK(launch_add(x.data(), x.data(), sum.data(), 1, second));
    GP_OK(cudaStreamSynchronize(second));
    REQUIRE(sum.read() == floats{2});
    REQUIRE(gpu_host::pending_operations() == 1);
  }
  SECTION("with one, it does") {
    GP_OK(cudaEventRecord(event, first));
    GP_OK(cudaStreamWaitEvent(second, event, 0));
    GP_OK(launch_scale(x.data(), 1, first));  // after the event: no part of what is waited for
    GP_OK(launch_add(x.data(), x.data(), sum.data(), 1, second));
    GP_OK(cudaStreamSynchronize(second));
    REQUIRE(sum.read() == floats{4});
    REQUIRE(gpu_host::pending_operations() == 1);
  }
  GP_OK(cudaEventDestroy(event));
}

TEST_CASE("the legacy stream waits for blocking streams and they for it", "[runtime]") {
  const lazy_device device;
  const test_stream blocking(cudaStreamDefault), apart;
  const device_array<float> x(floats{1}), y(floats{1}), z(floats{1});
  GP_OK(launch_scale(x.data(), 1, blocking));
  GP_OK(launch_scale(y.data(), 1, apart));
  GP_OK(launch_scale(x.data(), 1, nullptr));
  GP_OK(launch_scale(x.data(), 1, blocking));
  REQUIRE(gpu_host::pending_operations() == 4);
  GP_OK(cudaStreamSynchronize(blocking));
  REQUIRE(gpu_host::pending_operations() == 1);  // the stream that opted out
  REQUIRE(x.read() == floats{8});
  REQUIRE(gpu_host::pending_operations() == 1);
  REQUIRE(z.read() == floats{1});
}

TEST_CASE("polling comes to an end", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  const device_array<float> x(floats{1});
  cudaEvent_t event;
  GP_OK(cudaEventCreate(&event));
  REQUIRE(cudaEventQuery(event) == cudaSuccess);  // never recorded
  GP_OK(launch_scale(x.data(), 1, stream));
  GP_OK(launch_scale(x.data(), 1, stream));
  GP_OK(cudaEventRecord(event, stream));
  REQUIRE(cudaEventQuery(event) == cudaErrorNotReady);
  REQUIRE(cudaStreamQuery(stream) == cudaErrorNotReady);
  REQUIRE(cudaStreamQuery(stream) == cudaErrorNotReady);
  REQUIRE(cudaStreamQuery(stream) == cudaSuccess);
  REQUIRE(cudaEventQuery(event) == cudaSuccess);
  GP_OK(cudaEventDestroy(event));
}

TEST_CASE("events measure time, once both have happened", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  cudaEvent_t start, stop, untimed;
  float milliseconds = -1;
  GP_OK(cudaEventCreate(&start));
  GP_OK(cudaEventCreate(&stop));
  GP_OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, stop) == cudaErrorInvalidResourceHandle);  // not recorded
  GP_OK(cudaEventRecord(start, stream));
  GP_OK(cudaEventRecord(stop, stream));
  GP_OK(cudaEventRecord(untimed, stream));
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, stop) == cudaErrorNotReady);
  GP_OK(cudaEventSynchronize(untimed));
  GP_OK(cudaEventElapsedTime(&milliseconds, start, stop));
  REQUIRE(milliseconds >= 0);
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle);
  for (const cudaEvent_t event : {start, stop, untimed}) {
    GP_OK(cudaEventDestroy(event));
  }
  REQUIRE(cudaEventDestroy(start) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("a destroyed stream still finishes its work", "[runtime]") {
  const lazy_device device;
  const device_array<float> x(floats{1});
  cudaStream_t stream;
  GP_OK(cudaStreamCreate(&stream));
  GP_OK(launch_scale(x.data(), 1, stream));
  GP_OK(cudaStreamDestroy(stream));
  REQUIRE(gpu_host::live_streams() == 0);
  REQUIRE(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
  GP_OK(cudaDeviceSynchronize());
  REQUIRE(x.read() == floats{2});
}

TEST_CASE("host functions run in their place and can't call the runtime", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  struct seen {
    bool called = false;
    cudaError_t inner = cudaSuccess;
  } result;
  GP_OK(cudaLaunchHostFunc(
      stream,
      [](void* data) {
        static_cast<seen*>(data)->called = true;
        static_cast<seen*>(data)->inner = cudaDeviceSynchronize();
      },
      &result));
  REQUIRE_FALSE(result.called);
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(result.called);
  REQUIRE(result.inner == cudaErrorNotPermitted);
}
