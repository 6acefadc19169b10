// SPDX-License-Identifier: MIT
// What the engine knows about the launch that is running. One launch runs at a time, on one host thread.
#pragma once

#include <cstdint>
#include <vector>

#include "device/device.hpp"
#include "engine.hpp"
#include "engine/fibre.hpp"

namespace gpu_host {

enum class status : std::uint8_t { ready, at_barrier, at_warp_operation, finished };

struct async_copy {
  std::uint64_t target, source;
  unsigned bytes, source_bytes, site;
  bool last_of_group;
};

/// A CUDA thread of the running block.
struct thread : device::thread_identity {
  status state = status::ready;
  fibre* stack = nullptr;
  std::uint32_t site = 0;  // of the barrier or warp operation it waits at

  struct {
    unsigned number, threads;
    bool aligned, predicate;
    device::barrier_operation operation;
    unsigned result;
  } barrier{};
  struct {
    device::warp_operation operation;
    std::uint32_t mask;
    std::uint64_t value;
    std::uint32_t a, b;
    device::warp_result result;
  } exchange{};

  std::uint32_t fence_interval = 0;  // when it last executed a fence, 0: never
  bool fence_beyond_block = false;
  std::uint64_t local_top = 0;  // end of the local variables of the functions it is in
  std::vector<async_copy> copies;
};

/// Who in a warp has seen what: vector clocks over warp-level synchronisation, in one barrier interval.
struct warp_clock {
  std::uint32_t now = 0;       // synchronisations so far
  std::uint32_t floor = 0;     // all lanes have seen everything before this time
  bool partial = false;        // `seen` is in use
  std::uint32_t seen[32][32];  // [a][b]: lane a has seen what lane b did before this time
};

struct warp {
  std::uint32_t waiting = 0, finished = 0;  // lanes
  warp_clock clock;
};

struct launch_state {
  const kernel* what = nullptr;
  launch_options shape;
  const std::byte* parameters = nullptr;
  std::size_t parameter_bytes = 0;
  settings options;

  std::vector<thread> threads;  // of the running block
  std::vector<warp> warps;
  std::vector<thread*> ready;
  thread* running = nullptr;  // nullptr: the scheduler is
  unsigned unfinished = 0;
  std::uint64_t polls = 0;  // reads of threads that wait for a value, since anything was last written
  std::uint64_t random = 0;

  thread& me() { return *running; }
  warp& my_warp() { return warps[running->linear / 32]; }
  /// A random number below `bound` (splitmix64).
  std::uint64_t draw(std::uint64_t bound);
};

extern launch_state launch_now;

/// Called by a thread: lets another one run. `state` says what it waits for.
void suspend(status state);
/// The thread may go on (but isn't run yet).
void make_ready(thread&);
/// After lanes have exited or arrived: completes the operations of a warp that wait for nobody else.
void complete_warp_operations(unsigned warp_index);
/// Why a block in which nobody can run is stuck in warp operations.
[[noreturn]] void report_stuck_warps();

}  // namespace gpu_host
