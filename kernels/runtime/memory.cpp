// SPDX-License-Identifier: MIT
#include <cuda_runtime_api.h>

#include "graphpatcher/core/device_memory.hpp"
#include "kernels/runtime/check.hpp"
#include "kernels/runtime/context.hpp"

namespace graphpatcher::backend {
namespace {

/// Copies from pageable memory have been read when cudaMemcpyAsync returns;
/// copies from pinned memory are read by the device later.
bool pinned(const void* host) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, host), "cudaPointerGetAttributes");
  return attributes.type != cudaMemoryTypeUnregistered;
}

/// Waits for a copy from or to memory that the caller may take away afterwards,
/// even if waiting fails.
void finish_copy(cudaStream_t stream) {
  const cudaError_t status = cudaStreamSynchronize(stream);
  if (status != cudaSuccess) {
    discard(cudaStreamSynchronize(stream));
  }
  check(status, "cudaStreamSynchronize");
}

}  // namespace

void* allocate(const cuda& exec, std::size_t bytes) {
  return exec.context().allocate(bytes);
}

void release(const cuda& exec, void* memory, std::size_t bytes) noexcept {
  exec.context().release(memory, bytes);
}

void upload(const cuda& exec, void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  cuda_context& context = exec.context();
  const bool capturing = context.capturing();
  if (capturing) {
    expects<backend_error>(context.capture_is_ours(),
                           "upload: the stream is being captured by somebody else, and the bytes must stay valid until "
                           "that graph has run: capture with graphpatcher::captured_work instead");
    host = context.staging().keep(host, bytes);
  }
  const bool read_later = !capturing && pinned(host);
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, context.stream()), "cudaMemcpyAsync");
  if (read_later) {
    finish_copy(context.stream());
  }
}

void download(const cuda& exec, void* host, const void* device, std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  expects<backend_error>(!exec.context().capturing(),
                         "download: numbers can't be read back from work that is being captured and has not run: read "
                         "them after captured_work::run");
  check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_of(exec)), "cudaMemcpyAsync");
  finish_copy(stream_of(exec));
}

void copy_bytes(const cuda& exec, void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_of(exec)), "cudaMemcpyAsync");
  }
}

void clear_bytes(const cuda& exec, void* memory, std::size_t bytes) {
  if (bytes > 0) {
    check(cudaMemsetAsync(memory, 0, bytes, stream_of(exec)), "cudaMemsetAsync");
  }
}

memory_use memory_use_of(const cuda& exec) noexcept {
  const memory_pool& pool = exec.context().memory();
  return {pool.bytes_held(), pool.bytes_in_use()};
}

std::uint64_t dropped_captures(const cuda& exec) noexcept {
  return exec.context().dropped_captures();
}

}  // namespace graphpatcher::backend
