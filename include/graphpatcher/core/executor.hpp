// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <variant>

#include "graphpatcher/core/device.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/level.hpp"
#if !GRAPHPATCHER_COMPILED
#include "graphpatcher/core/detail/processors.hpp"
#endif

namespace graphpatcher {

/// Number of threads the machine offers to this process, at least one: fewer than
/// it has where the process may use some of its processors only (affinity) or gets
/// a share of their time (the quota of a container). Found out once.
#if GRAPHPATCHER_COMPILED
int hardware_threads() noexcept;
#else
inline int hardware_threads() noexcept {
  static const int count = detail::usable_processors();
  return count;
}
#endif

/// Runs operations on the processor. The default backend, always there.
/// Results are the same bits for any number of threads.
struct cpu {
  int threads = hardware_threads();
};

/// What every operation takes first: where it runs, and where the memory of its
/// matrices is. A cpu or a device, such as a cuda (core/cuda.hpp), implicitly.
class executor {
public:
  executor(cpu host = {}) : where_(host) {}
  executor(device elsewhere) : where_(std::move(elsewhere)) {}

  bool on_host() const noexcept { return std::holds_alternative<cpu>(where_); }
  /// Runs what is always done on the host, such as drawing batches.
  cpu host() const noexcept { return on_host() ? *std::get_if<cpu>(&where_) : cpu{}; }
  /// Where it isn't the host; else null.
  const device* elsewhere() const noexcept { return std::get_if<device>(&where_); }

  /// Calls work(const cpu&) or work(const device&).
  template <class Work>
  decltype(auto) visit(Work&& work) const {
    if (const device* const there = elsewhere()) [[unlikely]] {
      return work(*there);
    }
    return work(*std::get_if<cpu>(&where_));
  }

private:
  std::variant<cpu, device> where_;
};

/// Throws unless `exec` can run something.
inline void check_executor(const cpu& exec) {
  expects(exec.threads >= 1, "cpu executor: expected at least 1 thread, got ", exec.threads,
          "; leave `threads` out to use every core");
}
inline void check_executor(const device&) {}
inline void check_executor(const executor& exec) {
  exec.visit([](const auto& on) { check_executor(on); });
}

}  // namespace graphpatcher
