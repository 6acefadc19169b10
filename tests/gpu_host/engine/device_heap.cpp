// SPDX-License-Identifier: MIT
// The public face of global memory.
#include <stdexcept>

#include "engine/device_memory.hpp"

namespace gpu_host::device_heap {
namespace {

using guard = std::lock_guard<std::recursive_mutex>;

std::uint64_t number(const void* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

std::uint64_t owned_offset(const void* address, std::size_t bytes) {
  auto& all = device_memory::get();
  if (!all.owns(number(address), bytes))
    throw std::out_of_range("expected " + std::to_string(bytes) + " bytes of device memory, got " +
                            all.describe(number(address)));
  return number(address) - all.base();
}

}  // namespace

void* allocate(std::size_t bytes) {
  const guard hold(device_memory::lock());
  return reinterpret_cast<void*>(device_memory::get().allocate(bytes));
}

bool release(void* address) {
  const guard hold(device_memory::lock());
  return !address || device_memory::get().release(number(address));
}

bool owns(const void* address, std::size_t bytes) {
  const guard hold(device_memory::lock());
  return device_memory::get().owns(number(address), bytes);
}

std::size_t bytes_in_use() {
  return device_memory::get().bytes_in_use();
}
std::size_t blocks_in_use() {
  return device_memory::get().blocks_in_use();
}
std::size_t peak_bytes() {
  return device_memory::get().peak_bytes();
}
std::size_t capacity() {
  return device_memory::device_capacity;
}

std::byte* host_view(const void* address, std::size_t bytes) {
  const guard hold(device_memory::lock());
  return device_memory::get().memory().data + owned_offset(address, bytes);
}

void mark_written(void* address, std::size_t bytes) {
  const guard hold(device_memory::lock());
  byte_state::change(device_memory::get().memory().states, owned_offset(address, bytes), bytes, byte_state::written,
                     true);
}

void copy_written_state(void* destination, const void* source, std::size_t bytes) {
  const guard hold(device_memory::lock());
  const std::uint64_t to = owned_offset(destination, bytes), from = owned_offset(source, bytes);
  auto* states = device_memory::get().memory().states;
  const auto copy = [&](std::uint64_t i) {
    byte_state::change(states, to + i, 1, byte_state::written,
                       byte_state::all(states, from + i, 1, byte_state::written));
  };
  if (to <= from)
    for (std::uint64_t i = 0; i < bytes; ++i)
      copy(i);
  else
    for (std::uint64_t i = bytes; i-- > 0;)
      copy(i);
}

bool is_written(const void* address, std::size_t bytes) {
  const guard hold(device_memory::lock());
  return byte_state::all(device_memory::get().memory().states, owned_offset(address, bytes), bytes,
                         byte_state::written);
}

}  // namespace gpu_host::device_heap
