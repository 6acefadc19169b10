// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <thread>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

/// Number of threads the machine offers, at least one.
inline int hardware_threads() noexcept {
  const unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : static_cast<int>(count);
}

/// Runs operations on the processor. The default backend, always there.
/// Results are the same bits for any number of threads.
struct cpu {
  int threads = hardware_threads();
};

/// Runs operations on an NVIDIA GPU, in the order of one stream.
/// A program built without the CUDA backend can name this type but not make
/// one: the constructor throws and says how to get the backend.
class cuda {
public:
  explicit cuda(void* stream = nullptr) : stream_(stream) {
    throw backend_error(
        "the CUDA backend was asked for, but this program was built without it: "
        "configure with -DGRAPHPATCHER_CUDA=ON (needs nvcc) and link graphpatcher::cuda, "
        "or use graphpatcher::cpu");
  }

  void* stream() const noexcept { return stream_; }

private:
  void* stream_;
};

/// What every operation takes first: where it runs.
template <class Executor>
concept executor = std::same_as<Executor, cpu> || std::same_as<Executor, cuda>;

/// Throws unless `exec` can run something.
inline void check_executor(const cpu& exec) {
  expects(exec.threads >= 1, "cpu executor: expected at least 1 thread, got ", exec.threads,
          "; leave `threads` out to use every core");
}

}  // namespace graphpatcher
