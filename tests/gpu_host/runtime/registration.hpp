// SPDX-License-Identifier: MIT
//
// What objects compiled by nvcc say about themselves when the program starts: host addresses that stand for kernels and
// for device variables.
#pragma once

#include <string>

#include "../engine.hpp"

namespace gpu_host::runtime {

// The kernel behind a host function, or behind the handle that __cudaGetKernel gave for it. Throws
// cudaErrorInvalidDeviceFunction if nvcc didn't register it, cudaErrorNoKernelImageForDevice if it wasn't translated.
const kernel& find_registered_kernel(const void* host_function);

struct device_variable {
  void* address;
  std::size_t bytes;
};
device_variable find_variable(const void* host_variable);  // throws cudaErrorInvalidSymbol

void restore_variables();  // gives every variable its initial value

}  // namespace gpu_host::runtime
