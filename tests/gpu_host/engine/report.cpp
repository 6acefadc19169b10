// SPDX-License-Identifier: MIT
#include "engine/report.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "engine/state.hpp"

namespace gpu_host {
namespace {

fault make(fault_kind kind, const std::string& message, std::uint32_t where, const thread* who) {
  const site& at = site_at(where);
  const std::string kernel_name = launch_now.what ? demangled(launch_now.what->name) : "";
  std::string text =
      std::string(to_string(kind)) + ": " + message + " [" + kernel_name + ", block " + triple(device::block_index);
  if (who)
    text += ", thread " + triple(who->index);
  text += ", " + place(where) + "]";
  fault made(kind, text);
  made.kernel = kernel_name;
  made.block = device::block_index;
  if (who)
    made.thread = who->index;
  made.file = at.file;
  made.line = at.line;
  return made;
}

}  // namespace

const char* to_string(fault_kind kind) {
  switch (kind) {
    case fault_kind::out_of_bounds:
      return "out of bounds";
    case fault_kind::use_after_free:
      return "use after free";
    case fault_kind::misaligned:
      return "misaligned access";
    case fault_kind::uninitialised:
      return "uninitialised read";
    case fault_kind::race_shared:
      return "race in shared memory";
    case fault_kind::race_global:
      return "race in global memory";
    case fault_kind::divergent_barrier:
      return "divergent barrier";
    case fault_kind::wrong_mask:
      return "wrong mask";
    case fault_kind::warp_deadlock:
      return "warp deadlock";
    case fault_kind::mismatched_warp_operation:
      return "mismatched warp operations";
    case fault_kind::bad_launch:
      return "bad launch";
    case fault_kind::device_assert:
      return "device assertion";
    case fault_kind::endless:
      return "endless launch";
    case fault_kind::unsupported:
      return "unsupported";
  }
  return "unknown fault";
}

void fail(fault_kind kind, const std::string& message, std::uint32_t where) {
  throw make(kind, message, where, launch_now.running);
}
void fail_block(fault_kind kind, const std::string& message, std::uint32_t where) {
  throw make(kind, message, where, nullptr);
}

std::string demangled(const char* name) {
  int outcome = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &outcome),
                                                         &std::free);
  return outcome == 0 && text ? text.get() : name;
}

std::string place(std::uint32_t number) {
  const site& at = site_at(number);
  return at.line ? std::string(at.file) + ":" + std::to_string(at.line) : "unknown line: compile with -lineinfo";
}

std::string triple(extent index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) + ")";
}

std::string thread_name(unsigned linear) {
  const extent size = launch_now.shape.block;
  return "thread " + triple({linear % size.x, linear / size.x % size.y, linear / (size.x * size.y)});
}

}  // namespace gpu_host
