// SPDX-License-Identifier: MIT
#include "kernels/runtime/memory_pool.hpp"

#include <cstdlib>
#include <string_view>

#include "kernels/runtime/check.hpp"

namespace graphpatcher {
namespace {

bool pool_wanted() {
  const char* const value = std::getenv("GRAPHPATCHER_NO_POOL");
  return value == nullptr || std::string_view(value) != "1";
}

}  // namespace

memory_pool::memory_pool(int device, cudaStream_t stream) : device_(device), stream_(stream), caching_(pool_wanted()) {}

memory_pool::~memory_pool() {
  discard(cudaStreamSynchronize(stream_));
  free_blocks();
}

void* memory_pool::allocate(std::size_t bytes) {
  if (bytes == 0) {
    return nullptr;
  }
  const std::size_t size = block_size(bytes);
  block_list& list = blocks_[size];
  void* memory = nullptr;
  if (caching_ && !list.free.empty()) {
    memory = list.free.back();
    list.free.pop_back();
  } else {
    list.free.reserve(list.count + 1);
    memory = allocate_on_device(size);
    list.count += 1;
    bytes_held_ += size;
  }
  bytes_in_use_ += size;
  return memory;
}

void memory_pool::release(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) {
    return;
  }
  const std::size_t size = block_size(bytes);
  blocks_.find(size)->second.free.push_back(memory);
  bytes_in_use_ -= size;
  if (!caching_ && !capturing()) {
    discard(cudaStreamSynchronize(stream_));
    free_blocks();
  }
}

void memory_pool::trim() {
  check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  free_blocks();
}

void* memory_pool::allocate_on_device(std::size_t bytes) {
  const device_scope current(device_);
  void* memory = nullptr;
  cudaError_t status = cudaMalloc(&memory, bytes);
  // Blocks that captured work has released are still needed when it runs, so nothing can be freed before that.
  if (status == cudaErrorMemoryAllocation && !capturing()) {
    discard(status);
    trim();
    status = cudaMalloc(&memory, bytes);
  }
  if (status == cudaErrorMemoryAllocation) {
    discard(status);
    std::size_t free = 0;
    std::size_t total = 0;
    discard(cudaMemGetInfo(&free, &total));
    throw out_of_memory_error(text("out of device memory: asked for ", bytes, " bytes; this executor holds ",
                                   bytes_held_, " bytes, ", bytes_in_use_, " of them in use; device ", device_, " has ",
                                   free, " of ", total, " bytes free; use smaller batches or a GPU with more memory"));
  }
  check(status, "cudaMalloc");
  return memory;
}

bool memory_pool::capturing() const noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  discard(cudaStreamIsCapturing(stream_, &status));
  return status != cudaStreamCaptureStatusNone;
}

void memory_pool::free_blocks() noexcept {
  for (auto& [size, list] : blocks_) {
    for (void* const memory : list.free) {
      discard(cudaFree(memory));
    }
    bytes_held_ -= size * list.free.size();
    list.count -= list.free.size();
    list.free.clear();
  }
}

device_scope::device_scope(int device) {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  check(cudaSetDevice(device), "cudaSetDevice");
}

device_scope::~device_scope() {
  discard(cudaSetDevice(before_));
}

}  // namespace graphpatcher
