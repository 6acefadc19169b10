// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <variant>

#include "graphpatcher/core/error.hpp"

/// Programs that link graphpatcher::cuda are compiled with GRAPHPATCHER_HAS_CUDA=1.
#ifndef GRAPHPATCHER_HAS_CUDA
#define GRAPHPATCHER_HAS_CUDA 0
#endif

namespace graphpatcher {

namespace detail {

/// All files of a program must be compiled alike, with the CUDA backend or
/// without: functions that two of them share are not the same otherwise. Linking
/// graphpatcher::cuda sees to that; where it was done by hand and forgotten, the
/// program stops here, before it starts, instead of crashing later.
inline bool agree_on_backends(bool with_cuda) noexcept {
  static const bool first = with_cuda;
  if (first != with_cuda) {
    std::fputs(
        "graphpatcher: some files of this program were compiled with GRAPHPATCHER_HAS_CUDA=1 and some without; link "
        "graphpatcher::cuda to every target whose files are linked together\n",
        stderr);
    std::abort();
  }
  return true;
}
#ifndef GP_ANY_BACKEND  // a library for both, such as graphpatcher::io, whose functions are the same with and without
[[maybe_unused]] static const bool backends_agree = agree_on_backends(GRAPHPATCHER_HAS_CUDA != 0);
#endif

}  // namespace detail

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

/// Stream, memory pool and library handles behind a `cuda` (kernels/runtime).
class cuda_context;

/// Runs operations on an NVIDIA GPU, in the order of one stream. A handle: copies
/// share the stream, its memory pool and its library handles.
///
/// Operations return before they are done; what reads numbers back to the host
/// (to_host(), training's progress) waits for them, nothing else does. One
/// handle serves one thread of the program at a time.
///
/// A program built without the CUDA backend can name this type but not make
/// one: the constructor throws and says how to get the backend.
class cuda {
public:
  /// A stream of its own on the current device, or the caller's cudaStream_t,
  /// which must outlive every copy of this handle and all memory made with it.
  /// Throws backend_error without a device or with a driver that is too old.
  explicit cuda(void* stream = nullptr);

  /// The cudaStream_t.
  void* stream() const noexcept;
  /// Waits until everything submitted so far is done; throws what went wrong.
  void synchronize() const;

  cuda_context& context() const noexcept { return *context_; }

private:
  std::shared_ptr<cuda_context> context_;
};

#if !GRAPHPATCHER_HAS_CUDA
inline cuda::cuda(void*) {
  throw backend_error(
      "the CUDA backend was asked for, but this program was built without it: "
      "configure with -DGRAPHPATCHER_CUDA=ON (needs nvcc) and link graphpatcher::cuda, "
      "or use graphpatcher::cpu");
}
#endif

/// What every operation takes first: where it runs, and where the memory of its
/// matrices is. A cpu or a cuda, implicitly.
class executor {
public:
  executor(cpu host = {}) : where_(host) {}
  executor(cuda device) : where_(std::move(device)) {}

  bool on_host() const noexcept { return std::holds_alternative<cpu>(where_); }
  /// Runs what is always done on the host, such as drawing batches.
  cpu host() const noexcept { return on_host() ? *std::get_if<cpu>(&where_) : cpu{}; }

  /// Calls work(const cpu&) or work(const cuda&). Only what the program was
  /// built with is instantiated.
  template <class Work>
  decltype(auto) visit(Work&& work) const {
#if GRAPHPATCHER_HAS_CUDA
    if (const auto* device = std::get_if<cuda>(&where_)) {
      return work(*device);
    }
#endif
    return work(*std::get_if<cpu>(&where_));
  }

private:
  std::variant<cpu, cuda> where_;
};

/// Throws unless `exec` can run something.
inline void check_executor(const cpu& exec) {
  expects(exec.threads >= 1, "cpu executor: expected at least 1 thread, got ", exec.threads,
          "; leave `threads` out to use every core");
}
inline void check_executor(const cuda&) {}
inline void check_executor(const executor& exec) {
  exec.visit([](const auto& on) { check_executor(on); });
}

}  // namespace graphpatcher
