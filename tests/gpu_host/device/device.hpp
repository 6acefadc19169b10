// SPDX-License-Identifier: MIT
// The machine as generated code sees it: identity of the thread, checked memory, barriers and warp operations.
// Every function here works on the thread that is running; calls may hand over to other threads and return later.
#pragma once

#include "bits.hpp"
#include "functions.hpp"
#include "kernel.hpp"

namespace gpu_host::device {

// ----------------------------------------------------------------------------------------------------------- identity

struct thread_identity {
  extent index;
  unsigned linear;  // x fastest: warp = linear / 32, lane = linear % 32
};
extern const thread_identity* current;  // the running thread
extern extent block_index, block_size, grid_size;
extern u32 dynamic_shared_size, total_shared_size;

inline u32 lane() {
  return current->linear % 32;
}
inline u32 warp() {
  return current->linear / 32;
}
inline u32 warps() {
  return (block_size.x * block_size.y * block_size.z + 31) / 32;
}
u64 clock();  // grows with every call

// -------------------------------------------------------------------------------------------------------------- memory

/// What an access does; combined with |.
namespace access {
inline constexpr u32 read = 1, write = 2;
inline constexpr u32 strong = 4;  // atomic, relaxed or volatile: doesn't race with its like
inline constexpr u32 acquire = 8, release = 16;
inline constexpr u32 waits = 32;  // polls a value that another thread is to write, perhaps: let others run
}  // namespace access

/// Each checks an access of `bytes` bytes and returns where they are in host memory. `site` is the number of the
/// instruction's source position.
std::byte* global_memory(u64 address, u32 bytes, u32 what, u32 site);
std::byte* shared_memory(u64 address, u32 bytes, u32 what, u32 site);
std::byte* generic_memory(u64 address, u32 bytes, u32 what, u32 site);
std::byte* local_memory(u64 address, u32 bytes, u32 what, u32 site);
std::byte* const_memory(u64 address, u32 bytes, u32 what, u32 site);
std::byte* param_memory(u64 address, u32 bytes, u32 what, u32 site);

template <class T>
[[gnu::always_inline]] inline T get(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
[[gnu::always_inline]] inline void put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}
/// The read-modify-write of an atomic operation, at a place that was checked; returns the old value.
template <class T, class F>
[[gnu::always_inline]] inline T update(std::byte* at, F function) {
  const T old = get<T>(at);
  put<T>(at, function(old));
  return old;
}

/// Shared variables have windows of 1 MiB in the shared address space, from window 1, and begin `alignment` bytes into
/// them, so that no address is better aligned than its variable.
inline constexpr unsigned window_bits = 20;
constexpr u64 shared_address(u64 window, u64 alignment) {
  return (window << window_bits) + alignment;
}
u64 shared_to_generic(u64 address);
u64 generic_to_shared(u64 address, u32 site);
enum class space { global, shared, local, constant, parameter };
bool is_in_space(u64 address, space);

/// The .local variables of a function call: a stack of their own, beside the host's.
class local_frame {
public:
  local_frame(u32 bytes, u32 alignment);
  ~local_frame();
  local_frame(const local_frame&) = delete;
  local_frame& operator=(const local_frame&) = delete;
  u64 address() const { return address_; }

private:
  u64 address_, outer_top_;
};

/// cp.async: the copy happens when its group is waited for.
void copy_async(u64 shared_target, u64 global_source, u32 bytes, u32 source_bytes, u32 site);
void copy_async_commit();
void copy_async_wait(u32 groups_left);
void copy_async_wait_all();

// ------------------------------------------------------------------------------------------------------ block barriers

enum class barrier_operation { none, count, all, any };

/// `threads` 0: all threads of the block. `aligned` (__syncthreads): all have to be at the same instruction.
u32 barrier(u32 number, u32 threads, bool aligned, barrier_operation operation, bool predicate, u32 site);
void barrier_arrive(u32 number, u32 threads, u32 site);
void fence(bool beyond_block);
void yield();  // nanosleep

// ----------------------------------------------------------------------------------------------------- warp operations

enum class warp_operation : u8 {
  sync,
  shuffle_up,
  shuffle_down,
  shuffle_butterfly,
  shuffle_index,
  ballot,
  any,
  all,
  uniform,
  match_any,
  match_all,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_and,
  reduce_or,
  reduce_xor
};
struct warp_result {
  u64 value;
  bool predicate;
};
/// Waits for the lanes in `mask`. `a` and `b` are the source lane and the clamp of a shuffle.
warp_result warp_exchange(warp_operation, u32 mask, u64 value, u32 a, u32 b, u32 site);

// --------------------------------------------------------------------------------------------------------- all the
// rest

[[noreturn]] void trap(u32 site);
[[noreturn]] void assert_failed(u64 message, u64 file, u32 line, u64 function, u32 site);
s32 print(u64 format, u64 arguments, u32 site);

/// How often the thread has executed each basic block of the file; its code counts them up.
u32* basic_block_counts();

}  // namespace gpu_host::device
