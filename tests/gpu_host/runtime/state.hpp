// SPDX-License-Identifier: MIT
//
// Everything the stand-in remembers.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "control.hpp"
#include "graph.hpp"
#include "stream.hpp"

namespace gpu_host::runtime {

struct memory_pool {
  std::uint64_t release_threshold = 0;
  std::map<int, int> reuse_flags;
  std::size_t used = 0, used_high = 0;
};

struct device_block {
  std::size_t bytes;
  int device;
  memory_pool* pool;     // null: cudaMalloc
  bool release_pending;  // cudaFreeAsync is in some queue
};

struct pinned_block {
  std::size_t bytes;
  unsigned flags;
  bool registered;  // the caller's own memory (cudaHostRegister)
};

struct injected_failure {
  std::string function;
  int calls_left;
  int status;
};

struct function_settings {  // cudaFuncSetAttribute
  int max_dynamic_shared_bytes = -1;
  int preferred_carveout = -1;
};

struct runtime_state {
  int devices = 1;
  int driver_version = CUDART_VERSION;  // 0: no driver
  cudaDeviceProp properties = default_device_properties();
  std::size_t memory_limit = std::numeric_limits<std::size_t>::max();

  cudaError_t broken = cudaSuccess;  // the error that the context keeps for life
  std::string fault;

  std::map<std::string, std::size_t> calls;
  std::vector<injected_failure> failures;

  std::map<const std::byte*, device_block> device_blocks;
  std::map<const std::byte*, pinned_block> pinned_blocks;
  std::size_t device_bytes = 0;
  std::uintptr_t lowest_device_address = std::numeric_limits<std::uintptr_t>::max(), highest_device_address = 0;
  std::map<cudaMemPool_t, std::unique_ptr<memory_pool>> pools;  // those the program has made
  memory_pool default_pool;
  cudaMemPool_t current_pool = nullptr;  // null: the default one

  std::shared_ptr<stream> legacy = std::make_shared<stream>();
  std::map<std::thread::id, std::shared_ptr<stream>> per_thread;
  std::map<cudaStream_t, std::shared_ptr<stream>> streams;
  std::vector<std::shared_ptr<stream>> abandoned;  // destroyed with work in their queues
  std::map<cudaEvent_t, std::unique_ptr<event>> events;
  std::map<cudaGraph_t, std::unique_ptr<graph>> graphs;
  std::map<cudaGraphExec_t, std::unique_ptr<executable_graph>> executable_graphs;
  std::vector<std::shared_ptr<capture>> captures;  // begun, not ended

  std::map<std::string, function_settings> functions;  // by mangled name
  std::map<const void*, std::shared_ptr<void>> library_objects;

  schedule when;
  std::mt19937_64 random{1};
  bool in_host_function = false;
};

runtime_state& state();
int& current_device();  // of this thread

// Frees all memory, kills all handles of the runtime, drops what is queued, gives device variables their first values.
void destroy_context();

}  // namespace gpu_host::runtime
