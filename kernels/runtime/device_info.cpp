// SPDX-License-Identifier: MIT
#include "kernels/runtime/device_info.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>

#include "kernels/runtime/check.hpp"

namespace graphpatcher {
namespace {

std::string version_text(int version) {
  return text(version / 1000, ".", version % 1000 / 10);
}

std::string what_was_found(cudaError_t status) {
  if (status == cudaErrorInsufficientDriver) {
    int driver = 0;
    discard(cudaDriverGetVersion(&driver));
    return driver == 0 ? "no NVIDIA driver was found"
                       : text("the NVIDIA driver supports CUDA ", version_text(driver),
                              ", this program was built with CUDA ", version_text(CUDART_VERSION));
  }
  if (status == cudaSuccess || status == cudaErrorNoDevice) {
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return text("the NVIDIA driver finds no GPU", visible == nullptr ? "" : " (CUDA_VISIBLE_DEVICES is \"",
                visible == nullptr ? "" : visible, visible == nullptr ? "" : "\")");
  }
  return text("cudaGetDeviceCount: ", cudaGetErrorName(status), " (", cudaGetErrorString(status), ")");
}

}  // namespace

std::string why_unavailable() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) {
    return "";
  }
  discard(status);
  return what_was_found(status) + "; install a driver that supports CUDA " + std::to_string(CUDART_VERSION / 1000) +
         ", check that nvidia-smi lists a GPU, or use graphpatcher::cpu";
}

std::vector<device_info> find_devices() {
  std::vector<device_info> found;
  if (!why_unavailable().empty()) {
    return found;
  }
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    found.push_back({.name = properties.name,
                     .compute_capability = 10 * properties.major + properties.minor,
                     .multiprocessors = properties.multiProcessorCount,
                     .memory_bytes = properties.totalGlobalMem});
  }
  return found;
}

}  // namespace graphpatcher
