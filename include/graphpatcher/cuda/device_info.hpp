// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graphpatcher/core/executor.hpp"

/// Which GPUs there are, for programs that choose at run time:
///
///   gp::executor exec = gp::cuda_available() ? gp::executor(gp::cuda()) : gp::executor(gp::cpu());
namespace graphpatcher {

/// One GPU, as the CUDA runtime numbers and describes it.
struct device_info {
  std::string name;
  int compute_capability = 0;  ///< 10 · major + minor: 80 for an A100
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
};

#if GRAPHPATCHER_HAS_CUDA

/// The GPUs this program can use, in the order of cudaSetDevice; none if it
/// can't use any.
std::vector<device_info> devices();

/// Whether a `cuda` executor can be made.
bool cuda_available();

/// Why not, and what to do about it; empty if it can.
std::string cuda_unavailable_reason();

#else

inline std::vector<device_info> devices() {
  return {};
}
inline bool cuda_available() {
  return false;
}
inline std::string cuda_unavailable_reason() {
  return "this program was built without the CUDA backend; configure with -DGRAPHPATCHER_CUDA=ON (needs nvcc) and link "
         "graphpatcher::cuda, or use graphpatcher::cpu";
}

#endif

}  // namespace graphpatcher
