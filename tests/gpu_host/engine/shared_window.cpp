// SPDX-License-Identifier: MIT
#include "engine/shared_window.hpp"

#include <algorithm>

#include "engine/report.hpp"

namespace gpu_host {

shared_window& shared_window::get() {
  static shared_window& all = *new shared_window;  // kept: streams may still run after main()
  return all;
}

unsigned shared_window::lay_out(const kernel& what, std::size_t dynamic_bytes) {
  windows_.fill({});
  std::uint64_t used = 0;
  for (const shared_variable& each : what.shared) {
    if (each.window >= windows_.size())
      fail_block(fault_kind::unsupported, "more than 255 shared variables in one file", 0);
    const bool dynamic = each.bytes == shared_variable::dynamic;
    const std::uint64_t bytes = dynamic ? dynamic_bytes : each.bytes;
    used = (used + each.alignment - 1) / each.alignment * each.alignment;
    if (used + bytes <= most_bytes)
      windows_[each.window] = {each.alignment, unsigned(bytes), unsigned(used), each.name};
    used += bytes;
  }
  used = std::max<std::uint64_t>(used, what.static_shared_bytes + dynamic_bytes);
  if (used > most_bytes)
    fail_block(
        fault_kind::bad_launch,
        "expected at most " + std::to_string(most_bytes) + " bytes of shared memory, got " + std::to_string(used), 0);
  used_ = unsigned(used + 3) / 4 * 4;
  if (data_.size() < used_) {
    data_.resize(used_);
    states_.resize(used_ / 4 + 8);
    history_.resize(used_ / 4);
    memory_ = {data_.data(), states_.data(), history_.data()};
  }
  return unsigned(used);
}

void shared_window::begin_block() {
  std::fill_n(data_.begin(), used_, std::byte{0xff});  // NaN and -1: easy to notice when the checks are off
  std::fill_n(states_.begin(), used_ / 4, std::uint8_t(byte_state::exists & 0xff));
}

std::string shared_window::describe_address(std::uint64_t address) const {
  const std::uint64_t index = address >> device::window_bits;
  if (index >= windows_.size() || !windows_[index].name)
    return "a shared address without a variable";
  const window& found = windows_[index];
  const auto inside = std::int64_t(address & ((1u << device::window_bits) - 1)) - std::int64_t(found.start);
  return "byte " + std::to_string(inside) + " of the shared variable " + demangled(found.name) + " of " +
         std::to_string(found.bytes) + " bytes";
}

std::string shared_window::describe(std::uint64_t offset) const {
  for (std::uint64_t index = 0; index < windows_.size(); ++index)
    if (const window& each = windows_[index]; each.offset <= offset && offset < each.offset + each.bytes)
      return describe_address((index << device::window_bits) + each.start + offset - each.offset);
  return "shared memory";
}

}  // namespace gpu_host
