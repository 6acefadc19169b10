// SPDX-License-Identifier: MIT
//
// Short forms for these tests.
#pragma once

#include <cuda_runtime_api.h>

#include <catch2/catch.hpp>
#include <vector>

#include "../../engine.hpp"
#include "../control.hpp"
#include "test_kernels.hpp"

#define GP_OK(call) REQUIRE((call) == cudaSuccess)

// A new device that runs nothing before it has to, and afterwards a device without leaks.
struct lazy_device {
  lazy_device() {
    gpu_host::reset_device();
    gpu_host::set_schedule({.seed = 1, .early = 0});
  }
  ~lazy_device() { gpu_host::reset_device(); }
};

// Device memory with a copy of `values`; the legacy stream and the host have finished when it's there.
template <class T>
class device_array {
public:
  explicit device_array(const std::vector<T>& values) : device_array(values.size()) {
    GP_OK(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  explicit device_array(std::size_t size) : size_(size) { GP_OK(cudaMalloc(&data_, size * sizeof(T))); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  T* data() const { return static_cast<T*>(data_); }
  std::size_t bytes() const { return size_ * sizeof(T); }

  std::vector<T> read() const {
    std::vector<T> values(size_);
    GP_OK(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }

private:
  std::size_t size_;
  void* data_ = nullptr;
};

class test_stream {
public:
  explicit test_stream(unsigned flags = cudaStreamNonBlocking) { GP_OK(cudaStreamCreateWithFlags(&stream_, flags)); }
  test_stream(const test_stream&) = delete;
  test_stream& operator=(const test_stream&) = delete;
  ~test_stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }  // NOLINT: it stands for the handle

private:
  cudaStream_t stream_ = nullptr;
};

using floats = std::vector<float>;
