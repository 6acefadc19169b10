// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "graphpatcher/core/cuda.hpp"

namespace graphpatcher {

/// Work that is done again and again with other numbers, such as one step of
/// training: its operations are recorded as a CUDA graph and submitted at once,
/// which costs the processor far less than submitting them one by one. (Small
/// operations take the device less time than their submission takes the host.)
///
///   captured_work step;
///   for (...) step.run(exec, [&] { forward(); backward(); optimiser.step(); });
///
/// run() calls `body` every time, so sizes, addresses and options may differ
/// from run to run; what stays the same from the run before is reused.
class captured_work {
public:
  captured_work();
  ~captured_work();
  captured_work(captured_work&&) noexcept;
  captured_work& operator=(captured_work&&) noexcept;

  /// Records what `body` submits to `exec` and runs that, in stream order.
  /// `body` can't read numbers back: nothing has run yet when it returns. If it
  /// throws, nothing of it runs at all and the error passes on. Inside another
  /// run of the same executor it becomes part of that.
  template <class Body>
  void run(const cuda& exec, Body&& body) {
    if (capturing(exec)) {
      std::forward<Body>(body)();
      return;
    }
    begin(exec);
    try {
      std::forward<Body>(body)();
    } catch (...) {
      drop(exec);
      throw;
    }
    launch(exec);
  }

  /// How often an executable graph was built; other runs only changed the
  /// numbers in it. A count that rises with every run says that the operations
  /// differ from run to run, and that capturing them does not pay.
  std::size_t instantiations() const noexcept;

private:
  struct state;

  static bool capturing(const cuda& exec);
  static void begin(const cuda& exec);
  static void drop(const cuda& exec) noexcept;
  void launch(const cuda& exec);

  std::unique_ptr<state> state_;
};

}  // namespace graphpatcher
