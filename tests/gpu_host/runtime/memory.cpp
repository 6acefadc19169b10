// SPDX-License-Identifier: MIT
//
// Device memory: allocation, immediate and in stream order.
#include "memory.hpp"

#include <algorithm>

#include "../engine.hpp"
#include "api.hpp"

namespace gpu_host::runtime {
namespace {

std::size_t device_capacity() {
  return std::min<std::size_t>(state().memory_limit, state().properties.totalGlobalMem);
}

bool fits(std::size_t bytes) {
  const std::size_t capacity = device_capacity();
  return state().device_bytes <= capacity && bytes <= capacity - state().device_bytes;
}

bool frees_are_queued() {
  return std::any_of(state().device_blocks.begin(), state().device_blocks.end(),
                     [](const auto& entry) { return entry.second.release_pending; });
}

device_block& find_block(void* address) {
  const auto found = state().device_blocks.find(static_cast<std::byte*>(address));
  require(found != state().device_blocks.end() && !found->second.release_pending, cudaErrorInvalidValue);
  return found->second;
}

void* allocate_in_order(std::size_t bytes, memory_pool& pool, cudaStream_t handle) {
  const auto s = find_stream(handle);
  forbid_while_recording(*s, cudaErrorNotSupported);  // no memory nodes in these graphs
  require(bytes > 0, cudaErrorInvalidValue);
  void* address = allocate_device(bytes, &pool);
  submit(s, {cudaGraphNodeTypeEmpty, [] {}});
  return address;
}

std::string range_text(const void* address, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  char text[64];
  std::snprintf(text, sizeof text, "[%#zx, %#zx), %zu bytes", first, first + bytes, bytes);
  return text;
}

}  // namespace

void* allocate_device(std::size_t bytes, memory_pool* pool) {
  if (!fits(bytes) && frees_are_queued()) {
    wait_for_everything();
  }
  void* address = fits(bytes) ? device_heap::allocate(bytes) : nullptr;
  require(address != nullptr, cudaErrorMemoryAllocation);
  state().device_blocks[static_cast<std::byte*>(address)] = {bytes, current_device(), pool, false};
  state().device_bytes += bytes;
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  state().lowest_device_address = std::min(state().lowest_device_address, first);
  state().highest_device_address = std::max(state().highest_device_address, first + bytes);
  if (pool != nullptr) {
    pool->used += bytes;
    pool->used_high = std::max(pool->used_high, pool->used);
  }
  return address;
}

void release_device(void* address) {
  const auto found = state().device_blocks.find(static_cast<std::byte*>(address));
  const device_block block = found->second;
  state().device_blocks.erase(found);
  state().device_bytes -= block.bytes;
  if (block.pool != nullptr) {
    block.pool->used -= block.bytes;
  }
  device_heap::release(address);
}

const std::byte* readable(const void* address, std::size_t bytes, const std::string& what) {
  return writable(const_cast<void*>(address), bytes, what);
}

std::byte* writable(void* address, std::size_t bytes, const std::string& what) {
  if (!device_heap::owns(address, bytes)) {
    throw fault(fault_kind::out_of_bounds, what + " " + range_text(address, bytes) +
                                               " isn't inside one live device allocation; check its size, leading "
                                               "dimension and lifetime");
  }
  return device_heap::host_view(address, bytes);
}

void require_written(const void* address, std::size_t bytes, const std::string& what) {
  if (current_settings().detect_uninitialised && !device_heap::is_written(address, bytes)) {
    throw fault(fault_kind::uninitialised,
                what + " " + range_text(address, bytes) + " is read but not all of it was written; fill it first");
  }
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cudaError_t cudaMalloc(void** address, size_t bytes) {
  return api("cudaMalloc", needs::device, [&] {
    require(address != nullptr, cudaErrorInvalidValue);
    forbid_unsafe_call();
    *address = bytes == 0 ? nullptr : allocate_device(bytes, nullptr);
  });
}

cudaError_t cudaMallocPitch(void** address, size_t* pitch, size_t width, size_t height) {
  return api("cudaMallocPitch", needs::device, [&] {
    require(address != nullptr && pitch != nullptr, cudaErrorInvalidValue);
    forbid_unsafe_call();
    const std::size_t unit = state().properties.texturePitchAlignment;
    *pitch = (width + unit - 1) / unit * unit;
    *address = *pitch * height == 0 ? nullptr : allocate_device(*pitch * height, nullptr);
  });
}

// Waits for the whole device, as the real one does: freeing in a loop is slow, and hides missing synchronisation.
cudaError_t cudaFree(void* address) {
  return api("cudaFree", needs::device, [&] {
    forbid_unsafe_call();
    if (address != nullptr) {
      find_block(address);
      wait_for_everything();
      release_device(address);
    }
  });
}

cudaError_t cudaMallocAsync(void** address, size_t bytes, cudaStream_t handle) {
  return api("cudaMallocAsync", needs::device, [&] {
    require(address != nullptr, cudaErrorInvalidValue);
    *address = allocate_in_order(bytes, current_pool(), handle);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** address, size_t bytes, cudaMemPool_t pool, cudaStream_t handle) {
  return api("cudaMallocFromPoolAsync", needs::device, [&] {
    require(address != nullptr, cudaErrorInvalidValue);
    *address = allocate_in_order(bytes, find_pool(pool), handle);
  });
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t handle) {
  return api("cudaFreeAsync", needs::device, [&] {
    const auto s = find_stream(handle);
    forbid_while_recording(*s, cudaErrorNotSupported);
    if (address != nullptr) {
      find_block(address).release_pending = true;
      submit(s, {cudaGraphNodeTypeMemFree, [address] { release_device(address); }});
    }
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api("cudaMemGetInfo", needs::device, [&] {
    require(free != nullptr && total != nullptr, cudaErrorInvalidValue);
    *total = device_capacity();
    *free = *total - std::min(*total, state().device_bytes);
  });
}
}
