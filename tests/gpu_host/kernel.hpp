// SPDX-License-Identifier: MIT
// What a translated PTX file tells the engine about itself. Kept light: every generated file includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpu_host {

struct extent {
  unsigned x = 1, y = 1, z = 1;
};

/// Where a kernel parameter lies in the parameter buffer of a launch.
struct parameter_slot {
  unsigned offset, size;
};

/// A `__shared__` variable. Every one has a window of its own in the shared address space, so that running over its end
/// never reaches a neighbour. `bytes` is `dynamic` for `extern __shared__` arrays, which all are the same memory.
struct shared_variable {
  static constexpr unsigned dynamic = ~0u;
  const char* name;
  unsigned window, bytes, alignment;
};

struct kernel {
  const char* name;  // mangled, as in PTX
  void (*run)(const std::byte* parameters);
  std::span<const parameter_slot> parameters;
  unsigned static_shared_bytes;
  unsigned max_threads;     // product of .maxntid, 1024 without __launch_bounds__
  unsigned registers_hint;  // .maxnreg, 0 without: PTX registers are virtual
  std::span<const shared_variable> shared;
  std::span<const std::uint32_t> block_sizes;  // instructions of the basic blocks of its file
};

/// A `__device__` or `__constant__` variable. The engine gives it device memory when its file is registered.
struct symbol {
  const char* name;
  std::size_t bytes, alignment;
  const std::byte* initial_value;  // `bytes` long; nullptr: zeros
  bool constant;
  std::uint64_t* address;  // set by add_symbols(): where the variable lives, a device address
};

/// Source position of one memory access, barrier or warp operation.
struct site {
  const char* file;
  int line;
};

void add_kernels(std::span<const kernel> kernels);  // the span must live as long as the program
void add_symbols(std::span<const symbol> symbols);
std::uint32_t add_sites(std::span<const site> sites);               // the number of the first; the others follow
void set_device_pointer(std::uint64_t where, std::uint64_t value);  // inside a variable that points to another

}  // namespace gpu_host
