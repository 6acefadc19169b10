// SPDX-License-Identifier: MIT
#include "state.hpp"

#include "../engine.hpp"
#include "api.hpp"
#include "memory.hpp"
#include "registration.hpp"

namespace gpu_host::runtime {

// Neither is ever destroyed: objects compiled by nvcc call the runtime from atexit handlers.
runtime_state& state() {
  static runtime_state& the_state = *new runtime_state;
  return the_state;
}

std::recursive_mutex& mutex() {
  static std::recursive_mutex& the_mutex = *new std::recursive_mutex;
  return the_mutex;
}

int& current_device() {
  thread_local int device = 0;
  return device;
}

void destroy_context() {
  runtime_state& now = state();
  for (const auto& [address, block] : now.device_blocks) {
    device_heap::release(const_cast<std::byte*>(address));
  }
  for (const auto& [address, block] : now.pinned_blocks) {
    release_pinned(address, block);
  }
  for (const auto& stream : all_streams()) {
    stream->queue.clear();  // tasks hold streams: two that wait for each other's events would never be freed
    stream->recording = nullptr;
  }
  now.device_blocks.clear();
  now.pinned_blocks.clear();
  now.device_bytes = 0;
  now.pools.clear();
  now.default_pool = {};
  now.current_pool = nullptr;
  now.streams.clear();
  now.per_thread.clear();
  now.abandoned.clear();
  now.events.clear();
  now.graphs.clear();
  now.executable_graphs.clear();
  now.captures.clear();
  now.functions.clear();
  restore_variables();
}

}  // namespace gpu_host::runtime
