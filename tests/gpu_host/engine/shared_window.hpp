// SPDX-License-Identifier: MIT
// The shared memory of the running block.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "engine/shadow.hpp"

namespace gpu_host {

class shared_window {
public:
  static constexpr unsigned most_bytes = 227 * 1024;  // of a block, with opt-in

  static shared_window& get();

  /// Lays the variables of a kernel out as the device would: one after another, the dynamic array last.
  /// Returns the bytes in use.
  unsigned lay_out(const kernel& what, std::size_t dynamic_bytes);
  void begin_block();  // fresh memory: nothing is written

  checked_memory& memory() { return memory_; }

  /// The offset in memory() of an address in the shared space, or `nowhere`.
  static constexpr std::uint64_t nowhere = ~0ull;
  std::uint64_t offset_of(std::uint64_t address, unsigned bytes) const {
    const std::uint64_t index = address >> device::window_bits;
    if (index >= windows_.size())
      return nowhere;
    const window& found = windows_[index];
    const std::uint64_t inside = (address & ((1u << device::window_bits) - 1)) - found.start;
    return inside < found.bytes && bytes <= found.bytes - inside ? found.offset + inside : nowhere;
  }
  std::string describe_address(std::uint64_t address) const;
  std::string describe(std::uint64_t offset) const;

private:
  struct window {
    unsigned start = 0, bytes = 0, offset = 0;
    const char* name = nullptr;
  };
  std::array<window, 256> windows_{};
  unsigned used_ = 0;
  checked_memory memory_{};
  std::vector<std::byte> data_;
  std::vector<std::uint8_t> states_;
  std::vector<word_history> history_;
};

}  // namespace gpu_host
