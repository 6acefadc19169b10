// SPDX-License-Identifier: MIT
//
// Faults, injected failures, missing devices, launches that can't be.
#include <cublas_v2.h>

#include <string>

#include "support.hpp"

using Catch::Contains;

TEST_CASE("a fault shows at the next wait and stays", "[runtime]") {
  const lazy_device device;
  const test_stream stream, other;
  const device_array<float> x(floats{1});
  GP_OK(launch_write_beyond(x.data(), 1, stream));  // the launch itself is fine
  GP_OK(launch_scale(x.data(), 1, stream));
  GP_OK(launch_scale(x.data(), 1, other));
  REQUIRE(gpu_host::last_fault().empty());
  REQUIRE(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
  REQUIRE_THAT(gpu_host::last_fault(), Contains("write_beyond"));
  REQUIRE(gpu_host::pending_operations() == 0);  // of no stream: what is queued never runs
  void* memory;
  REQUIRE(cudaMalloc(&memory, 4) == cudaErrorIllegalAddress);
  REQUIRE(cudaFree(x.data()) == cudaErrorIllegalAddress);
  REQUIRE(cudaGetLastError() == cudaErrorIllegalAddress);
  REQUIRE(cudaGetLastError() == cudaErrorIllegalAddress);  // asking doesn't clear it
  gpu_host::reset_device();
  REQUIRE(cudaGetLastError() == cudaSuccess);
  REQUIRE(gpu_host::last_fault().empty());
  GP_OK(cudaMalloc(&memory, 4));
}

TEST_CASE("a reset by the program frees all, but doesn't mend", "[runtime]") {
  const lazy_device device;
  void* memory;
  cudaStream_t stream;
  GP_OK(cudaMalloc(&memory, 4));
  GP_OK(cudaStreamCreate(&stream));
  GP_OK(cudaDeviceReset());
  REQUIRE(gpu_host::live_allocations().empty());
  REQUIRE(gpu_host::live_streams() == 0);
  REQUIRE(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
  GP_OK(cudaMalloc(&memory, 4));
  REQUIRE(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  GP_OK(launch_write_beyond(static_cast<float*>(memory), 1, nullptr));
  REQUIRE(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  REQUIRE(cudaDeviceReset() == cudaErrorIllegalAddress);
}

TEST_CASE("each kind of fault has its error", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  SECTION("an assertion in a kernel") {
    const device_array<int> one(std::vector<int>{1});
    GP_OK(launch_expect_zero(one.data(), stream));
    REQUIRE(cudaDeviceSynchronize() == cudaErrorAssert);
    REQUIRE_THAT(gpu_host::last_fault(), Contains("*x == 0"));
  }
  SECTION("memory that was never written") {
    const device_array<float> x(4);
    GP_OK(launch_scale(x.data(), 4, stream));
    REQUIRE(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  }
  SECTION("misaligned") {
    const device_array<float> x(floats{1, 2});
    auto* odd = reinterpret_cast<float*>(reinterpret_cast<char*>(x.data()) + 2);
    GP_OK(launch_scale(odd, 1, stream));
    REQUIRE(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
  }
}

TEST_CASE("the nth call fails, once", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  void* memory = nullptr;
  gpu_host::fail_call("cudaMalloc", 2, cudaErrorMemoryAllocation);
  GP_OK(cudaMalloc(&memory, 4));
  GP_OK(cudaFree(memory));
  REQUIRE(gpu_host::failures_waiting() == 1);
  REQUIRE(cudaMalloc(&memory, 4) == cudaErrorMemoryAllocation);
  REQUIRE(cudaGetLastError() == cudaErrorMemoryAllocation);
  REQUIRE(gpu_host::failures_waiting() == 0);
  GP_OK(cudaMalloc(&memory, 4));

  gpu_host::fail_call("cudaLaunchKernel", 1, cudaErrorLaunchOutOfResources);
  REQUIRE(launch_count(stream) == cudaErrorLaunchOutOfResources);
  GP_OK(launch_count(stream));

  gpu_host::fail_call("*", 3, cudaErrorUnknown);
  GP_OK(cudaMemsetAsync(memory, 0, 4, stream));
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(cudaFree(memory) == cudaErrorUnknown);
  GP_OK(cudaFree(memory));
}

TEST_CASE("calls are counted", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  const device_array<float> x(floats{1});
  gpu_host::reset_call_counts();
  for (int i = 0; i < 3; ++i) {
    GP_OK(launch_scale(x.data(), 1, stream));
  }
  REQUIRE(gpu_host::call_counts() ==
          std::map<std::string, std::size_t>{{"cudaLaunchKernel", 3}, {"cudaGetLastError", 3}});
  REQUIRE(gpu_host::call_count("cudaStreamSynchronize") == 0);
}

TEST_CASE("no device, no driver, an old driver", "[runtime]") {
  const lazy_device device;
  int count = 77, version = -1;
  void* memory;
  cublasHandle_t blas;
  SECTION("no device") {
    gpu_host::set_devices(0);
    REQUIRE(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
    REQUIRE(count == 0);
    REQUIRE(cudaMalloc(&memory, 4) == cudaErrorNoDevice);
    REQUIRE(launch_count(nullptr) == cudaErrorNoDevice);
  }
  SECTION("no driver") {
    gpu_host::set_driver_missing();
    REQUIRE(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
    REQUIRE(count == 77);
    GP_OK(cudaDriverGetVersion(&version));
    REQUIRE(version == 0);
    REQUIRE(cudaMalloc(&memory, 4) == cudaErrorInsufficientDriver);
  }
  SECTION("a driver older than the runtime") {
    gpu_host::set_driver_version(CUDART_VERSION - 1000);
    REQUIRE(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
    GP_OK(cudaDriverGetVersion(&version));
    REQUIRE(version == CUDART_VERSION - 1000);
  }
  REQUIRE(cublasCreate(&blas) == CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_CASE("devices and what they are", "[runtime]") {
  const lazy_device device;
  int value = 0;
  GP_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  REQUIRE(value == 108);
  REQUIRE(cudaSetDevice(1) == cudaErrorInvalidDevice);
  cudaDeviceProp small = gpu_host::default_device_properties();
  small.major = 7;
  small.minor = 5;
  gpu_host::set_device_properties(small);
  GP_OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
  REQUIRE(value == 7);
  gpu_host::set_devices(2);
  const test_stream on_first;
  GP_OK(cudaSetDevice(1));
  GP_OK(cudaGetDevice(&value));
  REQUIRE(value == 1);
  REQUIRE(launch_count(on_first) == cudaErrorInvalidResourceHandle);  // a stream of another device
}

TEST_CASE("launches that the device can't do", "[runtime]") {
  const lazy_device device;
  REQUIRE(launch_bounded(0) == cudaErrorInvalidConfiguration);
  REQUIRE(launch_bounded(1025) == cudaErrorInvalidConfiguration);
  REQUIRE(launch_bounded(129) == cudaErrorLaunchOutOfResources);  // __launch_bounds__(128)
  REQUIRE(launch_bounded(128) == cudaSuccess);
  REQUIRE(cudaLaunchKernel("not a kernel", dim3(1), dim3(1), nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction);
}

TEST_CASE("more than 48 KiB of shared memory is asked for first", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  const device_array<float> x(floats{1, 2, 3});
  constexpr int much = 100 << 10;
  REQUIRE(launch_reverse(x.data(), 3, stream, much) == cudaErrorInvalidValue);
  GP_OK(cudaFuncSetAttribute(reverse_kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, much));
  GP_OK(launch_reverse(x.data(), 3, stream, much));
  REQUIRE(launch_reverse(x.data(), 3, stream, much + 4) == cudaErrorInvalidValue);
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(x.read() == floats{3, 2, 1});
  REQUIRE(cudaFuncSetAttribute(reverse_kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, (163 << 10) + 1) ==
          cudaErrorInvalidValue);
}

TEST_CASE("occupancy follows from the limits of a multiprocessor", "[runtime]") {
  const lazy_device device;
  int blocks = 0;
  GP_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded_kernel(), 128, 0));
  REQUIRE(blocks == 16);  // 2048 threads
  GP_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded_kernel(), 32, 0));
  REQUIRE(blocks == 32);  // the most blocks there may be
  GP_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse_kernel(), 32, 40 << 10));
  REQUIRE(blocks == 4);  // 164 KiB / (40 + 1 reserved)
  cudaFuncAttributes attributes;
  GP_OK(cudaFuncGetAttributes(&attributes, bounded_kernel()));
  REQUIRE(attributes.maxThreadsPerBlock == 128);
}

TEST_CASE("errors have names", "[runtime]") {
  REQUIRE(cudaGetErrorName(cudaErrorMemoryAllocation) == std::string("cudaErrorMemoryAllocation"));
  REQUIRE(cudaGetErrorString(cudaErrorMemoryAllocation) == std::string("out of memory"));
  REQUIRE(cudaGetErrorString(static_cast<cudaError_t>(12345)) == std::string("unrecognized error code"));
}
