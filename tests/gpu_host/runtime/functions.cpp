// SPDX-License-Identifier: MIT
//
// What the program can ask about a kernel: attributes and occupancy.
#include <algorithm>

#include "api.hpp"
#include "launch.hpp"
#include "registration.hpp"

namespace gpu_host::runtime {
namespace {

constexpr unsigned assumed_registers = 32;  // PTX doesn't say; what most kernels of this project need
constexpr unsigned register_unit = 256;     // registers are given to a warp in such portions

unsigned round_up(unsigned value, unsigned unit) {
  return (value + unit - 1) / unit * unit;
}

int resident_blocks(const kernel& what, int threads, std::size_t dynamic_shared_bytes) {
  const cudaDeviceProp& device = state().properties;
  require(threads > 0, cudaErrorInvalidValue);
  if (static_cast<unsigned>(threads) > what.max_threads || dynamic_shared_bytes > dynamic_shared_limit(what)) {
    return 0;
  }
  const unsigned warps = round_up(threads, device.warpSize) / device.warpSize;
  const unsigned block_registers = warps * round_up(registers_per_thread(what) * device.warpSize, register_unit);
  const std::size_t block_shared = what.static_shared_bytes + dynamic_shared_bytes + device.reservedSharedMemPerBlock;
  return std::min({device.maxBlocksPerMultiProcessor,
                   device.maxThreadsPerMultiProcessor / static_cast<int>(warps * device.warpSize),
                   device.regsPerMultiprocessor / static_cast<int>(block_registers),
                   static_cast<int>(device.sharedMemPerMultiprocessor / block_shared)});
}

}  // namespace

function_settings& settings_of(const kernel& what) {
  return state().functions[what.name];
}

unsigned registers_per_thread(const kernel& what) {
  return what.registers_hint != 0 ? what.registers_hint : assumed_registers;
}

std::size_t dynamic_shared_limit(const kernel& what) {
  const int chosen = settings_of(what).max_dynamic_shared_bytes;
  if (chosen >= 0) {
    return chosen;
  }
  const std::size_t together = state().properties.sharedMemPerBlock;
  return together - std::min<std::size_t>(together, what.static_shared_bytes);
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api("cudaFuncGetAttributes", needs::device, [&] {
    require(attributes != nullptr, cudaErrorInvalidValue);
    const gpu_host::kernel& what = find_registered_kernel(function);
    const cudaDeviceProp& device = state().properties;
    *attributes = {};
    attributes->sharedSizeBytes = what.static_shared_bytes;
    attributes->maxThreadsPerBlock = static_cast<int>(what.max_threads);
    attributes->numRegs = static_cast<int>(registers_per_thread(what));
    attributes->ptxVersion = attributes->binaryVersion = device.major * 10 + device.minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(what));
    attributes->preferredShmemCarveout = settings_of(what).preferred_carveout;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api("cudaFuncSetAttribute", needs::device, [&] {
    const gpu_host::kernel& what = find_registered_kernel(function);
    const std::size_t most = state().properties.sharedMemPerBlockOptin;
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize:
        require(value >= 0 && value + std::size_t{what.static_shared_bytes} <= most, cudaErrorInvalidValue);
        settings_of(what).max_dynamic_shared_bytes = value;
        break;
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        require(value >= -1 && value <= 100, cudaErrorInvalidValue);
        settings_of(what).preferred_carveout = value;
        break;
      default:
        throw api_error{cudaErrorInvalidValue};
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return api("cudaFuncSetCacheConfig", needs::device, [&] { find_registered_kernel(function); });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api("cudaFuncGetName", needs::device, [&] {
    require(name != nullptr, cudaErrorInvalidValue);
    *name = find_registered_kernel(function).name;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          size_t dynamic_shared_bytes) {
  return api("cudaOccupancyMaxActiveBlocksPerMultiprocessor", needs::device, [&] {
    require(blocks != nullptr, cudaErrorInvalidValue);
    *blocks = resident_blocks(find_registered_kernel(function), threads, dynamic_shared_bytes);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   size_t dynamic_shared_bytes, unsigned) {
  return api("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", needs::device, [&] {
    require(blocks != nullptr, cudaErrorInvalidValue);
    *blocks = resident_blocks(find_registered_kernel(function), threads, dynamic_shared_bytes);
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int threads) {
  return api("cudaOccupancyAvailableDynamicSMemPerBlock", needs::device, [&] {
    require(bytes != nullptr && blocks > 0 && threads > 0, cudaErrorInvalidValue);
    const gpu_host::kernel& what = find_registered_kernel(function);
    const cudaDeviceProp& device = state().properties;
    const std::size_t share = device.sharedMemPerMultiprocessor / static_cast<std::size_t>(blocks);
    const std::size_t taken = what.static_shared_bytes + device.reservedSharedMemPerBlock;
    *bytes = std::min(dynamic_shared_limit(what), share - std::min(share, taken));
  });
}
}
