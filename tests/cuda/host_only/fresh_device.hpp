// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "runtime/control.hpp"

namespace graphpatcher::test {

/// A test that has one starts and ends with a device as new.
struct fresh_device {
  fresh_device() { gpu_host::reset_device(); }
  ~fresh_device() { gpu_host::reset_device(); }
  fresh_device(const fresh_device&) = delete;
  fresh_device& operator=(const fresh_device&) = delete;
};

/// Everything that a program has made on the device and not given back.
inline std::size_t live_objects() {
  return gpu_host::live_allocations().size() + gpu_host::live_streams() + gpu_host::live_events() +
         gpu_host::live_graphs() + gpu_host::live_library_objects();
}

}  // namespace graphpatcher::test
