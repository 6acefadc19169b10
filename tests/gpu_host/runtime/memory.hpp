// SPDX-License-Identifier: MIT
//
// Device memory and pinned host memory, as the calls that allocate, copy and multiply see them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "state.hpp"

namespace gpu_host::runtime {

enum class place { device, dead_device, pinned, pageable };  // dead: freed, or beyond the end of an allocation
place place_of(const void*);

// Null if memory is short even after all queued frees have run. `pool` is null for cudaMalloc.
void* allocate_device(std::size_t bytes, memory_pool* pool);
void release_device(void*);
void release_pinned(const std::byte* address, const pinned_block&);

memory_pool& find_pool(cudaMemPool_t);
memory_pool& current_pool();

// For operations while they run: the host memory behind a device range. `what` names the range in the fault that says
// it isn't inside one live allocation, or (when reading) that it was never written.
const std::byte* readable(const void*, std::size_t bytes, const std::string& what);
std::byte* writable(void*, std::size_t bytes, const std::string& what);
void require_written(const void*, std::size_t bytes, const std::string& what);

}  // namespace gpu_host::runtime
