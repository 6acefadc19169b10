// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/cuda/graph_capture.hpp"

namespace graphpatcher {

/// Work that is done again and again on any executor: called as it is, or, on a
/// GPU and if asked for, recorded as a CUDA graph and submitted at once.
class repeated_work {
public:
  explicit repeated_work(bool capture) : capture_(capture) {}

  template <class Body>
  void run(const executor& exec, Body&& body) {
    exec.visit([&](const auto& on) { run_on(on, body); });
  }

private:
  template <class Body>
  void run_on(const cpu&, Body& body) {
    body();
  }
#if GRAPHPATCHER_HAS_CUDA
  template <class Body>
  void run_on(const cuda& exec, Body& body) {
    if (capture_) {
      graph_.run(exec, body);
    } else {
      body();
    }
  }

  captured_work graph_;
#endif
  bool capture_;
};

}  // namespace graphpatcher
