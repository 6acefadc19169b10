// SPDX-License-Identifier: MIT
//
// cudaDeviceGetAttribute: one number of cudaDeviceProp at a time, and a few that aren't in it.
#include "api.hpp"
#include "state.hpp"

namespace gpu_host::runtime {
namespace {

int attribute_of(const cudaDeviceProp& device, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return device.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return device.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return device.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return device.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return device.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return device.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return device.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(device.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(device.sharedMemPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(device.sharedMemPerMultiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(device.reservedSharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(device.totalConstMem);
    case cudaDevAttrWarpSize:
      return device.warpSize;
    case cudaDevAttrMaxPitch:
      return static_cast<int>(device.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return device.regsPerBlock;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return device.regsPerMultiprocessor;
    case cudaDevAttrClockRate:
      return 1410000;  // kHz
    case cudaDevAttrMemoryClockRate:
      return 1215000;  // kHz
    case cudaDevAttrMultiProcessorCount:
      return device.multiProcessorCount;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return device.maxThreadsPerMultiProcessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return device.maxBlocksPerMultiProcessor;
    case cudaDevAttrGlobalMemoryBusWidth:
      return device.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return device.l2CacheSize;
    case cudaDevAttrConcurrentKernels:
      return device.concurrentKernels;
    case cudaDevAttrAsyncEngineCount:
      return device.asyncEngineCount;
    case cudaDevAttrGpuOverlap:
      return device.asyncEngineCount > 0;
    case cudaDevAttrUnifiedAddressing:
      return device.unifiedAddressing;
    case cudaDevAttrIntegrated:
      return device.integrated;
    case cudaDevAttrCanMapHostMemory:
      return device.canMapHostMemory;
    case cudaDevAttrComputeMode:
      return cudaComputeModeDefault;
    case cudaDevAttrComputeCapabilityMajor:
      return device.major;
    case cudaDevAttrComputeCapabilityMinor:
      return device.minor;
    case cudaDevAttrStreamPrioritiesSupported:
      return device.streamPrioritiesSupported;
    case cudaDevAttrGlobalL1CacheSupported:
      return device.globalL1CacheSupported;
    case cudaDevAttrLocalL1CacheSupported:
      return device.localL1CacheSupported;
    case cudaDevAttrManagedMemory:
      return device.managedMemory;
    case cudaDevAttrConcurrentManagedAccess:
      return device.concurrentManagedAccess;
    case cudaDevAttrPageableMemoryAccess:
      return device.pageableMemoryAccess;
    case cudaDevAttrComputePreemptionSupported:
      return device.computePreemptionSupported;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      return device.canUseHostPointerForRegisteredMem;
    case cudaDevAttrHostRegisterSupported:
      return device.hostRegisterSupported;
    case cudaDevAttrCooperativeLaunch:
      return device.cooperativeLaunch;
    case cudaDevAttrClusterLaunch:
      return device.clusterLaunch;
    case cudaDevAttrMemoryPoolsSupported:
      return device.memoryPoolsSupported;
    case cudaDevAttrMemoryPoolSupportedHandleTypes:
      return static_cast<int>(device.memoryPoolSupportedHandleTypes);
    case cudaDevAttrTextureAlignment:
      return static_cast<int>(device.textureAlignment);
    case cudaDevAttrTexturePitchAlignment:
      return static_cast<int>(device.texturePitchAlignment);
    case cudaDevAttrEccEnabled:
      return device.ECCEnabled;
    case cudaDevAttrPciBusId:
      return device.pciBusID;
    case cudaDevAttrPciDeviceId:
      return device.pciDeviceID;
    case cudaDevAttrPciDomainId:
      return device.pciDomainID;
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrTccDriver:
      return 0;
    default:
      throw api_error{cudaErrorInvalidValue};
  }
}

}  // namespace
}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api("cudaDeviceGetAttribute", needs::device, [&] {
    require(value != nullptr, cudaErrorInvalidValue);
    require(device >= 0 && device < state().devices, cudaErrorInvalidDevice);
    *value = attribute_of(state().properties, attribute);
  });
}
