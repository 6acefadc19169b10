// SPDX-License-Identifier: MIT
//
// Copies between and within the memories, in one shape: `height` rows of `width` bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "stream.hpp"

namespace gpu_host::runtime {

struct copy_request {
  void* destination;
  std::size_t destination_pitch;
  const void* source;
  std::size_t source_pitch;
  std::size_t width, height;
  cudaMemcpyKind kind;

  static copy_request bytes(void* destination, const void* source, std::size_t count, cudaMemcpyKind kind) {
    return {destination, count, source, count, count, 1, kind};
  }
};

// In the order of the stream. Pageable host memory is read now, as the runtime does, which stages it; pinned memory is
// read when the copy runs.
void copy_async(const copy_request&, cudaStream_t);

// In the legacy stream; the host waits, unless both ends are on the device.
void copy_and_wait(const copy_request&);

}  // namespace gpu_host::runtime
