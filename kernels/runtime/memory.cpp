// SPDX-License-Identifier: MIT
#include <cuda_runtime_api.h>

#include "kernels/runtime/check.hpp"
#include "kernels/runtime/context.hpp"

namespace graphpatcher {
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

void cuda_context::upload(void* to, const void* host, std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  const bool recorded = capturing();
  if (recorded) {
    expects<backend_error>(capture_is_ours_,
                           "upload: the stream is being captured by somebody else, and the bytes must stay valid until "
                           "that graph has run: capture with graphpatcher::captured_work instead");
    host = staging_.keep(host, bytes);
  }
  const bool read_later = !recorded && pinned(host);
  check(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
  if (read_later) {
    finish_copy(stream_);
  }
}

void cuda_context::download(void* host, const void* from, std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  expects<backend_error>(!capturing(),
                         "download: numbers can't be read back from work that is being captured and has not run: read "
                         "them after captured_work::run");
  check(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
  finish_copy(stream_);
}

void cuda_context::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "cudaMemcpyAsync");
  }
}

void cuda_context::clear(void* memory, std::size_t bytes) {
  if (bytes > 0) {
    check(cudaMemsetAsync(memory, 0, bytes, stream_), "cudaMemsetAsync");
  }
}

void cuda_context::synchronize() {
  check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

}  // namespace graphpatcher
