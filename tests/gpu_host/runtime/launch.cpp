// SPDX-License-Identifier: MIT
//
// Kernel launches: checked and queued. `kernel<<<grid, block, shared, stream>>>(...)` compiles to
// __cudaPushCallConfiguration, then, inside the kernel's host function, __cudaPopCallConfiguration and
// __cudaLaunchKernel.
#include "launch.hpp"

#include <cstring>
#include <vector>

#include "api.hpp"
#include "registration.hpp"

namespace gpu_host::runtime {
namespace {

struct call_configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<call_configuration> pushed;

extent to_extent(dim3 d) {
  return {d.x, d.y, d.z};
}

bool within(dim3 size, const int (&limit)[3]) {
  const auto fits = [](unsigned value, int most) { return value > 0 && value <= static_cast<unsigned>(most); };
  return fits(size.x, limit[0]) && fits(size.y, limit[1]) && fits(size.z, limit[2]);
}

void check_shape(const kernel& what, const call_configuration& with) {
  const cudaDeviceProp& device = state().properties;
  require(within(with.grid, device.maxGridSize) && within(with.block, device.maxThreadsDim),
          cudaErrorInvalidConfiguration);
  const unsigned threads = with.block.x * with.block.y * with.block.z;
  require(threads <= static_cast<unsigned>(device.maxThreadsPerBlock), cudaErrorInvalidConfiguration);
  require(threads <= what.max_threads, cudaErrorLaunchOutOfResources);
  const std::size_t registers = std::size_t{registers_per_thread(what)} * threads;
  require(registers <= static_cast<std::size_t>(device.regsPerBlock), cudaErrorLaunchOutOfResources);
  require(with.shared_bytes <= dynamic_shared_limit(what), cudaErrorInvalidValue);
}

std::vector<std::byte> pack_parameters(const kernel& what, void** arguments) {
  std::size_t bytes = 0;
  for (const parameter_slot& slot : what.parameters) {
    bytes = std::max<std::size_t>(bytes, slot.offset + slot.size);
  }
  std::vector<std::byte> packed(bytes);
  for (std::size_t i = 0; i < what.parameters.size(); ++i) {
    std::memcpy(packed.data() + what.parameters[i].offset, arguments[i], what.parameters[i].size);
  }
  return packed;
}

void launch_async(const void* function, const call_configuration& with, void** arguments) {
  const auto s = find_stream(with.stream);
  require(s->device == current_device(), cudaErrorInvalidResourceHandle);
  const kernel& what = find_registered_kernel(function);
  check_shape(what, with);
  const launch_options shape{to_extent(with.grid), to_extent(with.block), with.shared_bytes};
  submit(s, {cudaGraphNodeTypeKernel,
             [&what, shape, packed = pack_parameters(what, arguments)] { launch(what, shape, packed.data()); }});
}

// Attributes that only steer performance are accepted; those that kernels can observe aren't there.
void check_attributes(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    const auto& cluster = attribute.val.clusterDim;
    const bool observable =
        (attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0) ||
        (attribute.id == cudaLaunchAttributeClusterDimension && cluster.x * cluster.y * cluster.z != 1);
    require(!observable, cudaErrorNotSupported);
  }
}

}  // namespace
}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, CUstream_st* s) {
  pushed.push_back({grid, block, shared_bytes, s});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* s) {
  if (pushed.empty()) {
    set_last_error(cudaErrorMissingConfiguration);
    return cudaErrorMissingConfiguration;
  }
  const call_configuration top = pushed.back();
  pushed.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<cudaStream_t*>(s) = top.stream;
  return cudaSuccess;
}

// The host function is its own handle. Callers keep it in a static variable, so this succeeds even without a device.
cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* function) {
  *handle = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t s) {
  return api("cudaLaunchKernel", needs::device, [&] {
    launch_async(function, {grid, block, shared_bytes, s}, arguments);
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t handle, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t s) {
  return cudaLaunchKernel(handle, grid, block, arguments, shared_bytes, s);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return api("cudaLaunchKernelExC", needs::device, [&] {
    require(config != nullptr, cudaErrorInvalidValue);
    check_attributes(*config);
    launch_async(function, {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream}, arguments);
  });
}

// Blocks run one after another: a barrier of the whole grid would never open.
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return api("cudaLaunchCooperativeKernel", needs::device, [] { throw api_error{cudaErrorNotSupported}; });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return api("cudaLaunchHostFunc", needs::device, [&] {
    const auto s = find_stream(handle);
    require(function != nullptr, cudaErrorInvalidValue);
    submit(s, {cudaGraphNodeTypeHost, [function, data] {
                 state().in_host_function = true;
                 function(data);
                 state().in_host_function = false;
               }});
  });
}
}
