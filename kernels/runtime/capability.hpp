// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

/// What launch policies know about devices, by compute capability: 10 · major +
/// minor, 80 for an A100. Plain C++, so that it is tested without nvcc.
namespace graphpatcher::kernels {

/// What one multiprocessor holds at a time ("Technical Specifications per Compute
/// Capability" of the CUDA C++ Programming Guide).
struct multiprocessor_limits {
  int threads;
  int shared_bytes;
};

/// Of a capability that is not listed, those of the next lower one.
constexpr multiprocessor_limits limits_of(int capability) {
  constexpr int kib = 1024;
  if (capability >= 120) {
    return {1536, 100 * kib};
  }
  if (capability >= 90) {
    return {2048, 228 * kib};
  }
  if (capability >= 86) {
    return {1536, 100 * kib};
  }
  if (capability >= 80) {
    return {2048, 164 * kib};
  }
  return {1024, 64 * kib};
}

/// Blocks that run on a multiprocessor at the same time, as far as threads and
/// shared memory decide; at least 1. The driver takes 1 KiB of each block's
/// shared memory for itself, from capability 80 on.
constexpr int resident_blocks(int capability, int threads, int shared_bytes) {
  const multiprocessor_limits limits = limits_of(capability);
  const int taken = shared_bytes + (capability >= 80 ? 1024 : 0);
  const int by_memory = taken == 0 ? limits.threads : limits.shared_bytes / taken;
  return std::max(1, std::min(limits.threads / threads, by_memory));
}

/// Launch numbers of kernels whose threads walk through a matrix of any size
/// (grid_walk.cuh) and are bound by memory: twice as many blocks as run at once.
/// The second round fills the gaps that the first leaves; more would only divide
/// more often.
struct walk_policy {
  int threads;
  int blocks_a_multiprocessor;

  static constexpr int most_threads = 256;
  static constexpr walk_policy for_capability(int capability) {
    return {most_threads, 2 * resident_blocks(capability, most_threads, 0)};
  }
};

}  // namespace graphpatcher::kernels
