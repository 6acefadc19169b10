// SPDX-License-Identifier: MIT
// Every memory access of a kernel comes through here.
#include <string>

#include "engine/counters.hpp"
#include "engine/device_memory.hpp"
#include "engine/race_detector.hpp"
#include "engine/report.hpp"
#include "engine/shared_window.hpp"
#include "engine/state.hpp"

namespace gpu_host::device {
namespace {

constexpr std::uint64_t most_polls = 1 << 22;

std::string words(u32 bytes, u32 what) {
  const char* kind = (what & access::read) ? (what & access::write) ? "atomic operation on " : "read of " : "write of ";
  return kind + std::to_string(bytes) + " bytes";
}

/// A thread that polls must let the others run, or the value never comes.
void wait_for_value(u32 site) {
  if (++launch_now.polls > most_polls)
    fail(fault_kind::unsupported,
         "waits for a value that no thread of its block writes; blocks run one after another here, so a block can wait "
         "only for earlier ones (with settings::random_blocks off)",
         site);
  yield();
}

void before_access(u32 what, u32 site) {
  if (what & access::waits)
    wait_for_value(site);
  else if (launch_now.options.preemptions_per_mille && launch_now.draw(1000) < launch_now.options.preemptions_per_mille)
    yield();
}

[[noreturn]] void fail_global(u64 address, u32 bytes, u32 what, u32 site) {
  auto& all = device_memory::get();
  fail(all.is_freed(address) ? fault_kind::use_after_free : fault_kind::out_of_bounds,
       words(bytes, what) + " at " + all.describe(address), site);
}

/// The checks that global and shared memory have in common. The bytes are known to be addressable as far as the caller
/// can tell; `offset` is theirs in `memory`, `address` is generic.
std::byte* checked(checked_memory& memory, u64 offset, u64 address, u32 bytes, u32 what, u32 site, bool is_shared) {
  const byte_state::window window(offset, bytes);
  u8* states = memory.states + offset / 4;
  if (!window.has_all(states, byte_state::exists))
    fail_global(address, bytes, what, site);
  if (what & access::read && launch_now.options.detect_uninitialised && !window.has_all(states, byte_state::written))
    fail(fault_kind::uninitialised,
         words(bytes, what) + " at " +
             (is_shared ? shared_window::get().describe(offset) : device_memory::get().describe(address)) +
             ", never written",
         site);
  if (launch_now.options.detect_races)
    races.access(memory, offset, bytes, what, site, is_shared, address);
  if (what & access::write) {
    window.set_written(states);
    launch_now.polls = 0;
  }
  if (counts.on)
    counts.access(is_shared ? offset : address, bytes, what, site, is_shared);
  return memory.data + offset;
}

void check_alignment(u64 address, u32 bytes, u32 what, u32 site) {
  if ((address & (bytes - 1)) != 0)
    fail(fault_kind::misaligned,
         words(bytes, what) + " at an address that isn't a multiple of " + std::to_string(bytes) + ": " +
             std::to_string(address & (bytes - 1)) + " past one",
         site);
}

}  // namespace

std::byte* global_memory(u64 address, u32 bytes, u32 what, u32 site) {
  before_access(what, site);
  check_alignment(address, bytes, what, site);
  auto& all = device_memory::get();
  const u64 offset = address - all.base();
  if (offset >= all.capacity())
    fail_global(address, bytes, what, site);
  return checked(all.memory(), offset, address, bytes, what, site, false);
}

std::byte* shared_memory(u64 address, u32 bytes, u32 what, u32 site) {
  before_access(what, site);
  check_alignment(address, bytes, what, site);
  auto& all = shared_window::get();
  const u64 offset = all.offset_of(address, bytes);
  if (offset == shared_window::nowhere)
    fail(fault_kind::out_of_bounds, words(bytes, what) + " at " + all.describe_address(address), site);
  return checked(all.memory(), offset, shared_to_generic(address), bytes, what, site, true);
}

std::byte* generic_memory(u64 address, u32 bytes, u32 what, u32 site) {
  if (is_in_space(address, space::shared))
    return shared_memory(address - device_memory::get().shared_base(), bytes, what, site);
  if (is_in_space(address, space::local))
    return local_memory(address, bytes, what, site);
  if (is_in_space(address, space::parameter))
    return param_memory(address, bytes, what, site);
  return global_memory(address, bytes, what, site);
}

std::byte* local_memory(u64 address, u32 bytes, u32 what, u32 site) {
  check_alignment(address, bytes, what, site);
  const thread& me = launch_now.me();
  const u64 begin = reinterpret_cast<u64>(me.stack->local_begin());
  if (address < begin || address + bytes > me.local_top)
    fail(fault_kind::out_of_bounds,
         words(bytes, what) + " at byte " + std::to_string(s64(address - begin)) + " of " +
             std::to_string(me.local_top - begin) + " bytes of local memory",
         site);
  return reinterpret_cast<std::byte*>(address);
}

std::byte* const_memory(u64 address, u32 bytes, u32 what, u32 site) {
  check_alignment(address, bytes, what, site);
  auto& all = device_memory::get();
  if (!all.owns(address, bytes))
    fail_global(address, bytes, what, site);
  return all.memory().data + (address - all.base());
}

/// Parameters of the kernel, or of a device function (then they are on the stack of the caller).
std::byte* param_memory(u64 address, u32 bytes, u32 what, u32 site) {
  check_alignment(address, bytes, what, site);
  const u64 begin = reinterpret_cast<u64>(launch_now.parameters);
  const bool of_kernel = address >= begin && address + bytes <= begin + launch_now.parameter_bytes;
  auto* at = reinterpret_cast<std::byte*>(address);
  if (!of_kernel && !launch_now.me().stack->on_stack(at, bytes))
    fail(fault_kind::out_of_bounds,
         words(bytes, what) + " at byte " + std::to_string(s64(address - begin)) + " of " +
             std::to_string(launch_now.parameter_bytes) + " bytes of parameters",
         site);
  return at;
}

u64 shared_to_generic(u64 address) {
  return device_memory::get().shared_base() + u32(address);
}

u64 generic_to_shared(u64 address, u32 site) {
  if (!is_in_space(address, space::shared))
    fail(fault_kind::out_of_bounds, "expected the address of shared memory, got another", site);
  return address - device_memory::get().shared_base();
}

bool is_in_space(u64 address, space which) {
  const u64 global = device_memory::get().base(), shared = device_memory::get().shared_base();
  switch (which) {
    case space::global:
      return address - global < device_memory::get().capacity();
    case space::shared:
      return address - shared < device_memory::shared_addresses;
    case space::local:
      return address - reinterpret_cast<u64>(launch_now.me().stack->local_begin()) < fibre::local_bytes;
    case space::parameter:
      return address - reinterpret_cast<u64>(launch_now.parameters) < launch_now.parameter_bytes;
    case space::constant:
      return false;  // constants live in global memory
  }
  return false;
}

}  // namespace gpu_host::device
