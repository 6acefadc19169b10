// SPDX-License-Identifier: MIT
//
// Devices and versions.
#include <cstring>

#include "api.hpp"
#include "state.hpp"

namespace gpu_host {

cudaDeviceProp default_device_properties() {
  cudaDeviceProp device{};
  std::strncpy(device.name, "gpu_host: a GPU on the host", sizeof device.name - 1);
  device.major = 8;
  device.minor = 0;
  device.totalGlobalMem = std::size_t{40} << 30;
  device.sharedMemPerBlock = 48 << 10;
  device.sharedMemPerBlockOptin = 163 << 10;
  device.sharedMemPerMultiprocessor = 164 << 10;
  device.reservedSharedMemPerBlock = 1 << 10;
  device.regsPerBlock = device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.memPitch = 0x7fffffff;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsDim[0] = device.maxThreadsDim[1] = 1024;
  device.maxThreadsDim[2] = 64;
  device.maxGridSize[0] = 0x7fffffff;
  device.maxGridSize[1] = device.maxGridSize[2] = 65535;
  device.totalConstMem = 64 << 10;
  device.textureAlignment = device.surfaceAlignment = 512;
  device.texturePitchAlignment = 32;
  device.multiProcessorCount = 108;
  device.maxThreadsPerMultiProcessor = 2048;
  device.maxBlocksPerMultiProcessor = 32;
  device.concurrentKernels = 1;
  device.asyncEngineCount = 3;
  device.unifiedAddressing = 1;
  device.memoryBusWidth = 5120;
  device.l2CacheSize = 40 << 20;
  device.streamPrioritiesSupported = 1;
  device.globalL1CacheSupported = device.localL1CacheSupported = 1;
  device.hostRegisterSupported = 1;
  device.memoryPoolsSupported = 1;
  device.hostNumaId = -1;
  return device;
}

}  // namespace gpu_host

using namespace gpu_host::runtime;

namespace {

void require_device(int device) {
  require(device >= 0 && device < state().devices, cudaErrorInvalidDevice);
}

}  // namespace

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  return api("cudaDriverGetVersion", needs::nothing, [&] {
    require(version != nullptr, cudaErrorInvalidValue);
    *version = state().driver_version;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return api("cudaRuntimeGetVersion", needs::nothing, [&] {
    require(version != nullptr, cudaErrorInvalidValue);
    *version = CUDART_VERSION;
  });
}

cudaError_t cudaGetDeviceCount(int* count) {
  return api("cudaGetDeviceCount", needs::driver, [&] {  // without a driver, *count stays as it was
    require(count != nullptr, cudaErrorInvalidValue);
    *count = state().devices;
    require(*count > 0, cudaErrorNoDevice);
  });
}

cudaError_t cudaGetDevice(int* device) {
  return api("cudaGetDevice", needs::device, [&] {
    require(device != nullptr, cudaErrorInvalidValue);
    *device = current_device();
  });
}

cudaError_t cudaSetDevice(int device) {
  return api("cudaSetDevice", needs::device, [&] {
    require_device(device);
    current_device() = device;
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return api("cudaInitDevice", needs::device, [&] { require_device(device); });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api("cudaGetDeviceProperties", needs::device, [&] {
    require(properties != nullptr, cudaErrorInvalidValue);
    require_device(device);
    *properties = state().properties;
    properties->pciBusID = device;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api("cudaDeviceCanAccessPeer", needs::device, [&] {
    require(can != nullptr, cudaErrorInvalidValue);
    require_device(device);
    require_device(peer);
    *can = 0;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api("cudaDeviceGetStreamPriorityRange", needs::device, [&] {
    if (least != nullptr) {
      *least = 0;
    }
    if (greatest != nullptr) {
      *greatest = -5;
    }
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api("cudaDeviceSynchronize", needs::device, [] {
    forbid_unsafe_call();
    wait_for_everything();
  });
}

// A broken context stays broken: only a new process, or gpu_host::reset_device, ends it.
cudaError_t cudaDeviceReset() {
  return api("cudaDeviceReset", needs::device, [] {
    forbid_unsafe_call();
    wait_for_everything();
    destroy_context();
  });
}
}
