// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "graphpatcher/core/device.hpp"
#include "graphpatcher/core/error.hpp"

/// NVIDIA GPUs, for programs that choose at run time:
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

namespace backend {

/// What graphpatcher::cuda answers with.
struct cuda_library {
  std::shared_ptr<accelerator> (*open)(void* stream);
  std::vector<device_info> (*devices)();
  std::string (*unavailable_reason)();
};

}  // namespace backend
}  // namespace graphpatcher

/// Defined by graphpatcher::cuda; null in a program that doesn't link it. A linker
/// takes nothing for a weak name alone: the library's CMake target and its pkg-config
/// file ask for it (docs/backends.md).
extern "C" [[gnu::weak]] const graphpatcher::backend::cuda_library* graphpatcher_cuda() noexcept;

namespace graphpatcher {

/// Runs operations on an NVIDIA GPU, in the order of one stream. A handle: copies
/// share the stream, its memory pool and its library handles.
///
/// Operations return before they are done; what reads numbers back to the host
/// (to_host(), training's progress) waits for them, nothing else does. One
/// handle serves one thread of the program at a time.
///
/// In a program that doesn't link graphpatcher::cuda the constructor throws and says
/// how to get it.
class cuda : public device {
public:
  /// A stream of its own on the current device, or the caller's cudaStream_t,
  /// which must outlive every copy of this handle and all memory made with it.
  /// Throws backend_error without a device or with a driver that is too old.
  explicit cuda(void* stream = nullptr) : device(open(stream)) {}

  /// The same device, if it is one of CUDA; throws backend_error if not.
  explicit cuda(const device& other) : device(other) {
    expects<backend_error>(other.name() == backend_name, "expected a device of CUDA, got one of the ", other.name(),
                           " backend");
  }

  static constexpr std::string_view backend_name = "CUDA";

private:
  static std::shared_ptr<backend::accelerator> open(void* stream) {
    expects<backend_error>(graphpatcher_cuda != nullptr,
                           "the CUDA backend was asked for, but this program was built without it: "
                           "configure with -DGRAPHPATCHER_CUDA=ON (needs nvcc) and link graphpatcher::cuda, "
                           "or use graphpatcher::cpu");
    return graphpatcher_cuda()->open(stream);
  }
};

/// The GPUs this program can use, in the order of cudaSetDevice; none if it
/// can't use any.
inline std::vector<device_info> devices() {
  return graphpatcher_cuda == nullptr ? std::vector<device_info>{} : graphpatcher_cuda()->devices();
}

/// Why no `cuda` executor can be made, and what to do about it; empty if it can.
inline std::string cuda_unavailable_reason() {
  return graphpatcher_cuda != nullptr
             ? graphpatcher_cuda()->unavailable_reason()
             : "this program was built without the CUDA backend; configure with -DGRAPHPATCHER_CUDA=ON (needs nvcc) "
               "and link graphpatcher::cuda, or use graphpatcher::cpu";
}

/// Whether a `cuda` executor can be made.
inline bool cuda_available() {
  return cuda_unavailable_reason().empty();
}

}  // namespace graphpatcher
