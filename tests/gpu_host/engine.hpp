// SPDX-License-Identifier: MIT
// Runs translated CUDA kernels on the host and checks every memory access, barrier and warp operation they make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernel.hpp"

namespace gpu_host {

// ---------------------------------------------------------------------------------------------------------- kernels

const kernel* find_kernel(std::string_view mangled_name);  // nullptr if no translated file has it
const symbol* find_symbol(std::string_view name);          // the same for variables; *symbol->address is where it lives

struct launch_options {
  extent grid, block;
  std::size_t dynamic_shared_bytes = 0;
};

/// Runs the whole grid and returns when it's done. `parameters` holds every parameter at its slot. Throws fault.
void launch(const kernel& what, const launch_options& shape, const std::byte* parameters);

// ------------------------------------------------------------------------------------------------------------ faults

enum class fault_kind {
  out_of_bounds,
  use_after_free,
  misaligned,
  uninitialised,  // read of global or shared memory that was never written
  race_shared,
  race_global,
  divergent_barrier,
  wrong_mask,
  warp_deadlock,
  mismatched_warp_operation,
  bad_launch,
  device_assert,  // also trap
  endless,        // of mutable kernels: see mutation.hpp
  unsupported
};
const char* to_string(fault_kind);

/// what() says it all in a sentence. The engine can be used again after a fault; memory keeps what was written so far.
struct fault : std::runtime_error {
  fault(fault_kind which, const std::string& message) : std::runtime_error(message), kind(which) {}
  fault_kind kind;
  std::string kernel;  // demangled
  extent block{0, 0, 0}, thread{0, 0, 0};
  std::string file;  // of the source line; empty if the kernel has no -lineinfo
  int line = 0;
};

// ---------------------------------------------------------------------------------------------------------- settings

struct settings {
  std::uint64_t seed = 1;  // of the order of blocks and threads: the same seed, the same order
  bool detect_races = true;
  bool detect_uninitialised = true;
  bool count = false;
  bool random_blocks = true;           // false: in the order of their index, for kernels that wait for earlier blocks
  unsigned preemptions_per_mille = 0;  // how many of 1000 memory accesses hand over to another thread
  bool allow_exit_before_barrier = false;  // threads that have returned needn't take part in __syncthreads
};
settings& current_settings();

// ----------------------------------------------------------------------------------------------------- device memory

/// Device pointers are addresses that the host can't dereference (touching one is a segmentation fault, as with a real
/// device). Behind them lies host memory that host_view() gives access to: copies and library stand-ins use that.
namespace device_heap {
void* allocate(
    std::size_t bytes);  // 256-byte aligned; nullptr if there isn't enough. 0 bytes: a valid, unusable address
bool release(void*);     // false: not the start of a live allocation (nullptr is fine)
bool owns(const void*, std::size_t bytes);  // wholly inside one live allocation or device variable
std::size_t bytes_in_use();                 // of allocate(), without device variables
std::size_t blocks_in_use();
std::size_t peak_bytes();
std::size_t capacity();

/// The host memory behind [p, p + bytes). Throws std::out_of_range unless owns(p, bytes).
std::byte* host_view(const void* p, std::size_t bytes);
template <class T>
T* host_array(const T* p, std::size_t count) {
  return reinterpret_cast<T*>(host_view(p, count * sizeof(T)));
}

/// Keep the record of what was initialised: after writing through host_view() ...
void mark_written(void*, std::size_t bytes);
/// ... after copying from device to device (uninitialised bytes stay so) ...
void copy_written_state(void* destination, const void* source, std::size_t bytes);
/// ... and before reading: false if some byte was never written.
bool is_written(const void*, std::size_t bytes);
}  // namespace device_heap

// -------------------------------------------------------------------------------------------------------------- costs

/// What a launch did, in the units of the hardware; filled when settings::count is on.
struct launch_costs {
  /// A request is one load or store instruction executed by one warp; v2 and v4 accesses are one request.
  struct memory {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;           // distinct bytes, summed over requests
    std::uint64_t sectors = 0;         // distinct 32-byte sectors, summed over requests
    std::uint64_t fewest_sectors = 0;  // what the same bytes would need if they lay side by side
    std::uint64_t active_lanes = 0;
  };
  std::string kernel;  // demangled
  launch_options shape;
  std::uint64_t threads = 0;
  std::uint64_t instructions = 0;  // PTX instructions executed, summed over threads
  memory global_load, global_store;
  std::uint64_t shared_requests = 0;
  std::uint64_t shared_conflict_ways = 0;  // passes beyond the first: 0 = no bank conflict
  std::uint64_t atomic_requests = 0;
  double active_lane_share = 0;  // lanes that work / lanes that are occupied, over all instructions
};
std::vector<launch_costs> take_costs();  // of the launches since the last call

}  // namespace gpu_host
