// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include "graphpatcher/core/error.hpp"

/// Every call of CUDA goes through check(), every kernel launch is followed by
/// check_launch(). What they throw names the call, the error and what to do.
namespace graphpatcher {

/// Throws out_of_memory_error or cuda_error for an error of `call`.
[[noreturn]] void throw_cuda_error(cudaError_t status, const char* call);

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) [[unlikely]] {
    throw_cuda_error(status, call);
  }
}

/// For calls where nothing can be done about a failure, as in destructors. The
/// error is taken away, so that the next check_launch() doesn't find it.
inline void discard(cudaError_t status) noexcept {
  if (status != cudaSuccess) [[unlikely]] {
    static_cast<void>(cudaGetLastError());
  }
}

/// To be called right after `kernel<<<grid, block>>>`: a launch that was refused
/// (bad grid, no code for this device) is found here, a fault of the kernel
/// itself when the stream is next waited for.
void check_launch(const char* kernel, dim3 grid, dim3 block);

}  // namespace graphpatcher
