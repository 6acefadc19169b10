// SPDX-License-Identifier: MIT
//
// Pinned host memory, and what a pointer points to.
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "../engine.hpp"
#include "api.hpp"
#include "memory.hpp"

namespace gpu_host::runtime {
namespace {

constexpr int poison = 0xCD;  // fresh pinned memory holds this, not zeros

// The block of pinned memory that holds this byte, or end().
auto pinned_block_of(const void* address) {
  auto& blocks = state().pinned_blocks;
  const auto* byte = static_cast<const std::byte*>(address);
  const auto above = blocks.upper_bound(byte);
  if (above == blocks.begin()) {
    return blocks.end();
  }
  const auto candidate = std::prev(above);
  return byte < candidate->first + candidate->second.bytes ? candidate : blocks.end();
}

void* allocate_pinned(std::size_t bytes, unsigned flags) {
  forbid_unsafe_call();
  if (bytes == 0) {
    return nullptr;
  }
  void* address = std::malloc(bytes);
  require(address != nullptr, cudaErrorMemoryAllocation);
  std::memset(address, poison, bytes);
  state().pinned_blocks[static_cast<std::byte*>(address)] = {bytes, flags, false};
  return address;
}

}  // namespace

void release_pinned(const std::byte* address, const pinned_block& block) {
  if (!block.registered) {
    std::free(const_cast<std::byte*>(address));
  }
}

place place_of(const void* address) {
  if (device_heap::owns(address, 1)) {
    return place::device;
  }
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (number >= state().lowest_device_address && number <= state().highest_device_address) {
    return place::dead_device;
  }
  return pinned_block_of(address) != state().pinned_blocks.end() ? place::pinned : place::pageable;
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cudaError_t cudaMallocHost(void** address, size_t bytes) {
  return api("cudaMallocHost", needs::device, [&] {
    require(address != nullptr, cudaErrorInvalidValue);
    *address = allocate_pinned(bytes, cudaHostAllocDefault);
  });
}

cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned flags) {
  return api("cudaHostAlloc", needs::device, [&] {
    require(address != nullptr, cudaErrorInvalidValue);
    *address = allocate_pinned(bytes, flags);
  });
}

cudaError_t cudaFreeHost(void* address) {
  return api("cudaFreeHost", needs::device, [&] {
    forbid_unsafe_call();
    if (address == nullptr) {
      return;
    }
    const auto found = state().pinned_blocks.find(static_cast<std::byte*>(address));
    require(found != state().pinned_blocks.end() && !found->second.registered, cudaErrorInvalidValue);
    wait_for_everything();  // queued copies may read it
    release_pinned(found->first, found->second);
    state().pinned_blocks.erase(found);
  });
}

cudaError_t cudaHostRegister(void* address, size_t bytes, unsigned flags) {
  return api("cudaHostRegister", needs::device, [&] {
    require(address != nullptr && bytes > 0, cudaErrorInvalidValue);
    forbid_unsafe_call();
    const auto* first = static_cast<std::byte*>(address);
    const auto above = state().pinned_blocks.lower_bound(first);
    const bool overlaps = pinned_block_of(address) != state().pinned_blocks.end() ||
                          (above != state().pinned_blocks.end() && above->first < first + bytes);
    require(!overlaps, cudaErrorHostMemoryAlreadyRegistered);
    state().pinned_blocks[first] = {bytes, flags, true};
  });
}

cudaError_t cudaHostUnregister(void* address) {
  return api("cudaHostUnregister", needs::device, [&] {
    forbid_unsafe_call();
    const auto found = state().pinned_blocks.find(static_cast<std::byte*>(address));
    require(found != state().pinned_blocks.end() && found->second.registered, cudaErrorHostMemoryNotRegistered);
    wait_for_everything();
    state().pinned_blocks.erase(found);
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* address) {
  return api("cudaHostGetFlags", needs::device, [&] {
    const auto found = pinned_block_of(address);
    require(flags != nullptr && found != state().pinned_blocks.end(), cudaErrorInvalidValue);
    *flags = found->second.flags;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  return api("cudaPointerGetAttributes", needs::device, [&] {
    require(attributes != nullptr, cudaErrorInvalidValue);
    *attributes = {};
    void* same = const_cast<void*>(address);
    switch (place_of(address)) {
      case place::device: {
        attributes->type = cudaMemoryTypeDevice;
        attributes->devicePointer = same;
        const auto above = state().device_blocks.upper_bound(static_cast<const std::byte*>(address));
        attributes->device = above == state().device_blocks.begin() ? 0 : std::prev(above)->second.device;
        break;
      }
      case place::pinned:  // kernels can't read it here, so it has no device pointer
        attributes->type = cudaMemoryTypeHost;
        attributes->hostPointer = same;
        attributes->device = current_device();
        break;
      case place::dead_device:
      case place::pageable:
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->hostPointer = same;
        attributes->device = -2;  // cudaInvalidDeviceId
        break;
    }
  });
}
}
