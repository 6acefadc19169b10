// SPDX-License-Identifier: MIT
//
// What a test can do to the stand-in device that a real one wouldn't allow: make calls fail, take memory away, count.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpu_host {

// Every call that a program can see fail starts from here: no device state, no faults, no injected failures, one
// default device, call counts at zero. Handles and device pointers from before are dead.
void reset_device();

// --- when queued work runs ---------------------------------------------------------------------------------------

// Work in a stream runs when something waits for it. With probability `early` a submission also lets one queued
// operation of a randomly chosen stream run; 0 makes the device as lazy as the rules allow.
struct schedule {
  std::uint64_t seed = 1;
  double early = 0.25;
};
void set_schedule(const schedule&);

// --- what the program finds --------------------------------------------------------------------------------------

void set_devices(int count);                 // 0: calls that need a device return cudaErrorNoDevice
void set_driver_missing();                   // calls that need a driver return cudaErrorInsufficientDriver
void set_driver_version(int version);        // such as 12040; older than the runtime: cudaErrorInsufficientDriver
cudaDeviceProp default_device_properties();  // compute 8.0, 108 multiprocessors, 40 GiB
void set_device_properties(const cudaDeviceProp&);

// Allocations that would bring the total above `bytes` return cudaErrorMemoryAllocation. cudaMemGetInfo reports it.
void set_memory_limit(std::size_t bytes);

// --- failures ----------------------------------------------------------------------------------------------------

// The nth next call (1: the very next) of this function does nothing and returns `status`: a cudaError_t, or the status
// of the library whose function is named ("cublasSgemm", "cusparseSpMM"). The name "*" means the nth next call of any
// function, with a cudaError_t that the libraries translate. Kernels started by <<<>>> are calls of "cudaLaunchKernel".
void fail_call(const std::string& name, int nth, int status);
std::size_t failures_waiting();  // how many of these have not struck yet

// What the first fault said (kernel, block, thread, source line), or nothing.
std::string last_fault();

// --- what happened -----------------------------------------------------------------------------------------------

std::map<std::string, std::size_t> call_counts();  // by function, since the last reset of the counts or the device
std::size_t call_count(const std::string& name);
void reset_call_counts();

enum class memory_space { device, pinned_host };
struct allocation_record {
  const void* address;
  std::size_t bytes;
  memory_space space;
};
std::vector<allocation_record> live_allocations();
std::size_t live_streams();
std::size_t live_events();
std::size_t live_graphs();           // cudaGraph_t and cudaGraphExec_t
std::size_t live_library_objects();  // handles and descriptors of cuBLAS, cuBLASLt and cuSPARSE
std::size_t pending_operations();    // submitted, not yet run

}  // namespace gpu_host
