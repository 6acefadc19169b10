// SPDX-License-Identifier: MIT
//
// Registration runs before main, in any order of the files: names are kept, and looked up in the engine when used.
#include "registration.hpp"

#include <cuda_runtime_api.h>

#include <cstring>
#include <map>

#include "api.hpp"
#include "copies.hpp"
#include "memory.hpp"

namespace gpu_host::runtime {
namespace {

struct registry {
  std::map<const void*, std::string> kernels, variables;
};

registry& registered() {
  static registry& the_registry = *new registry;
  return the_registry;
}

}  // namespace

const kernel& find_registered_kernel(const void* host_function) {
  const auto found = registered().kernels.find(host_function);
  require(found != registered().kernels.end(), cudaErrorInvalidDeviceFunction);
  const kernel* translated = find_kernel(found->second);
  require(translated != nullptr, cudaErrorNoKernelImageForDevice);
  return *translated;
}

device_variable find_variable(const void* host_variable) {
  const auto found = registered().variables.find(host_variable);
  require(found != registered().variables.end(), cudaErrorInvalidSymbol);
  const symbol* translated = find_symbol(found->second);
  require(translated != nullptr, cudaErrorInvalidSymbol);
  return {reinterpret_cast<void*>(*translated->address), translated->bytes};
}

void restore_variables() {
  for (const auto& [host_variable, name] : registered().variables) {
    if (const symbol* variable = find_symbol(name)) {
      auto* address = reinterpret_cast<void*>(*variable->address);
      std::byte* content = device_heap::host_view(address, variable->bytes);
      if (variable->initial_value != nullptr) {
        std::memcpy(content, variable->initial_value, variable->bytes);
      } else {
        std::memset(content, 0, variable->bytes);
      }
      device_heap::mark_written(address, variable->bytes);
    }
  }
}

namespace {

// A part of a device variable, as one end of a copy.
std::byte* part_of(const void* host_variable, std::size_t count, std::size_t offset) {
  const device_variable variable = find_variable(host_variable);
  require(offset <= variable.bytes && count <= variable.bytes - offset, cudaErrorInvalidValue);
  return static_cast<std::byte*>(variable.address) + offset;
}

}  // namespace
}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

char __cudaInitModule(void**) {
  return 0;
}

void __cudaRegisterFunction(void**, const char* host_function, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
  registered().kernels[host_function] = name;
}

void __cudaRegisterVar(void**, char* host_variable, char*, const char* name, int, size_t, int, int) {
  registered().variables[host_variable] = name;
}

cudaError_t cudaGetSymbolAddress(void** address, const void* variable) {
  return api("cudaGetSymbolAddress", needs::device, [&] {
    require(address != nullptr, cudaErrorInvalidValue);
    *address = find_variable(variable).address;
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* variable) {
  return api("cudaGetSymbolSize", needs::device, [&] {
    require(bytes != nullptr, cudaErrorInvalidValue);
    *bytes = find_variable(variable).bytes;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* variable, const void* source, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return api("cudaMemcpyToSymbol", needs::device,
             [&] { copy_and_wait(copy_request::bytes(part_of(variable, count, offset), source, count, kind)); });
}

cudaError_t cudaMemcpyFromSymbol(void* destination, const void* variable, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  return api("cudaMemcpyFromSymbol", needs::device,
             [&] { copy_and_wait(copy_request::bytes(destination, part_of(variable, count, offset), count, kind)); });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* variable, const void* source, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t s) {
  return api("cudaMemcpyToSymbolAsync", needs::device,
             [&] { copy_async(copy_request::bytes(part_of(variable, count, offset), source, count, kind), s); });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const void* variable, size_t count, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t s) {
  return api("cudaMemcpyFromSymbolAsync", needs::device,
             [&] { copy_async(copy_request::bytes(destination, part_of(variable, count, offset), count, kind), s); });
}
}
