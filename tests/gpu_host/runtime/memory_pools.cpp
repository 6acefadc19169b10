// SPDX-License-Identifier: MIT
//
// Pools of cudaMallocAsync: their attributes and what is in use. A pool holds no memory of its own here: what is freed
// is gone, so that a use after the free is found.
#include <cstring>

#include "api.hpp"
#include "memory.hpp"

namespace gpu_host::runtime {
namespace {

cudaMemPool_t handle_of(memory_pool& pool) {
  return reinterpret_cast<cudaMemPool_t>(&pool);
}

template <class T>
void put(void* destination, T value) {
  std::memcpy(destination, &value, sizeof value);
}

template <class T>
T get(const void* source) {
  T value;
  std::memcpy(&value, source, sizeof value);
  return value;
}

void require_device(int device) {
  require(device >= 0 && device < state().devices, cudaErrorInvalidDevice);
}

}  // namespace

memory_pool& find_pool(cudaMemPool_t handle) {
  if (handle == handle_of(state().default_pool)) {
    return state().default_pool;
  }
  const auto found = state().pools.find(handle);
  require(found != state().pools.end(), cudaErrorInvalidValue);
  return *found->second;
}

memory_pool& current_pool() {
  return state().current_pool == nullptr ? state().default_pool : find_pool(state().current_pool);
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api("cudaDeviceGetDefaultMemPool", needs::device, [&] {
    require(pool != nullptr, cudaErrorInvalidValue);
    require_device(device);
    *pool = handle_of(state().default_pool);
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api("cudaDeviceGetMemPool", needs::device, [&] {
    require(pool != nullptr, cudaErrorInvalidValue);
    require_device(device);
    *pool = handle_of(current_pool());
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return api("cudaDeviceSetMemPool", needs::device, [&] {
    require_device(device);
    find_pool(pool);
    state().current_pool = pool;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api("cudaMemPoolCreate", needs::device, [&] {
    require(pool != nullptr && properties != nullptr, cudaErrorInvalidValue);
    require(properties->allocType == cudaMemAllocationTypePinned, cudaErrorInvalidValue);
    require(properties->location.type == cudaMemLocationTypeDevice, cudaErrorNotSupported);
    auto made = std::make_unique<memory_pool>();
    *pool = handle_of(*made);
    state().pools[*pool] = std::move(made);
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api("cudaMemPoolDestroy", needs::device, [&] {
    const memory_pool& doomed = find_pool(pool);
    require(&doomed != &state().default_pool, cudaErrorInvalidValue);
    require(doomed.used == 0, cudaErrorInvalidValue);  // stricter than CUDA, which waits for the last free
    if (state().current_pool == pool) {
      state().current_pool = nullptr;
    }
    state().pools.erase(pool);
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return api("cudaMemPoolTrimTo", needs::device, [&] { find_pool(pool); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return api("cudaMemPoolSetAttribute", needs::device, [&] {
    memory_pool& pool = find_pool(handle);
    require(value != nullptr, cudaErrorInvalidValue);
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        pool.reuse_flags[attribute] = get<int>(value);
        break;
      case cudaMemPoolAttrReleaseThreshold:
        pool.release_threshold = get<std::uint64_t>(value);
        break;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        require(get<std::uint64_t>(value) == 0, cudaErrorInvalidValue);  // a high-water mark can only be reset
        pool.used_high = pool.used;
        break;
      default:
        throw api_error{cudaErrorInvalidValue};
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return api("cudaMemPoolGetAttribute", needs::device, [&] {
    const memory_pool& pool = find_pool(handle);
    require(value != nullptr, cudaErrorInvalidValue);
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies: {
        const auto found = pool.reuse_flags.find(attribute);
        put<int>(value, found == pool.reuse_flags.end() ? 1 : found->second);
        break;
      }
      case cudaMemPoolAttrReleaseThreshold:
        put<std::uint64_t>(value, pool.release_threshold);
        break;
      case cudaMemPoolAttrReservedMemCurrent:
      case cudaMemPoolAttrUsedMemCurrent:
        put<std::uint64_t>(value, pool.used);
        break;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        put<std::uint64_t>(value, pool.used_high);
        break;
      default:
        throw api_error{cudaErrorInvalidValue};
    }
  });
}
}
