// SPDX-License-Identifier: MIT
#include "control.hpp"

#include "api.hpp"
#include "state.hpp"

namespace gpu_host {

using runtime::mutex;
using runtime::state;

void reset_device() {
  const std::scoped_lock lock(mutex());
  runtime::destroy_context();
  state() = runtime::runtime_state();
  runtime::current_device() = 0;
  runtime::set_last_error(cudaSuccess);
}

void set_schedule(const schedule& when) {
  const std::scoped_lock lock(mutex());
  state().when = when;
  state().random.seed(when.seed);
}

void set_devices(int count) {
  const std::scoped_lock lock(mutex());
  state().devices = count;
}

void set_driver_missing() {
  set_driver_version(0);
}

void set_driver_version(int version) {
  const std::scoped_lock lock(mutex());
  state().driver_version = version;
}

void set_device_properties(const cudaDeviceProp& properties) {
  const std::scoped_lock lock(mutex());
  state().properties = properties;
}

void set_memory_limit(std::size_t bytes) {
  const std::scoped_lock lock(mutex());
  state().memory_limit = bytes;
}

void fail_call(const std::string& name, int nth, int status) {
  const std::scoped_lock lock(mutex());
  state().failures.push_back({name, nth, status});
}

std::size_t failures_waiting() {
  const std::scoped_lock lock(mutex());
  return state().failures.size();
}

std::string last_fault() {
  const std::scoped_lock lock(mutex());
  return state().fault;
}

std::map<std::string, std::size_t> call_counts() {
  const std::scoped_lock lock(mutex());
  return state().calls;
}

std::size_t call_count(const std::string& name) {
  const std::scoped_lock lock(mutex());
  const auto found = state().calls.find(name);
  return found == state().calls.end() ? 0 : found->second;
}

void reset_call_counts() {
  const std::scoped_lock lock(mutex());
  state().calls.clear();
}

std::vector<allocation_record> live_allocations() {
  const std::scoped_lock lock(mutex());
  std::vector<allocation_record> live;
  for (const auto& [address, block] : state().device_blocks) {
    if (!block.release_pending) {
      live.push_back({address, block.bytes, memory_space::device});
    }
  }
  for (const auto& [address, block] : state().pinned_blocks) {
    live.push_back({address, block.bytes, memory_space::pinned_host});
  }
  return live;
}

std::size_t live_streams() {
  const std::scoped_lock lock(mutex());
  return state().streams.size();
}

std::size_t live_events() {
  const std::scoped_lock lock(mutex());
  return state().events.size();
}

std::size_t live_graphs() {
  const std::scoped_lock lock(mutex());
  return state().graphs.size() + state().executable_graphs.size();
}

std::size_t live_library_objects() {
  const std::scoped_lock lock(mutex());
  return state().library_objects.size();
}

std::size_t pending_operations() {
  const std::scoped_lock lock(mutex());
  std::size_t pending = 0;
  for (const auto& stream : runtime::all_streams()) {
    pending += stream->queue.size();
  }
  return pending;
}

}  // namespace gpu_host
