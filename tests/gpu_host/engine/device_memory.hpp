// SPDX-License-Identifier: MIT
// Global memory: a range of addresses that the host can't touch, the memory behind it and its shadows.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "engine.hpp"
#include "engine/shadow.hpp"

namespace gpu_host {

class device_memory {
public:
  static constexpr std::uint64_t device_capacity = 4ull << 30;
  // After global memory come the generic addresses of shared memory: 256 windows of 1 MiB.
  static constexpr std::uint64_t shared_addresses = 256ull << 20;

  static device_memory& get();  // the device's
  explicit device_memory(std::uint64_t capacity);
  ~device_memory();
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  std::uint64_t base() const { return base_; }
  std::uint64_t shared_base() const { return base_ + capacity_; }
  std::uint64_t capacity() const { return capacity_; }
  checked_memory& memory() { return memory_; }

  std::uint64_t allocate(std::size_t bytes);  // 0: no room
  bool release(std::uint64_t address);
  std::uint64_t add_variable(const symbol& what);
  bool owns(std::uint64_t address, std::size_t bytes) const;

  bool is_freed(std::uint64_t address) const;
  /// The allocation or variable that an address is in or next to, in words.
  std::string describe(std::uint64_t address) const;

  std::size_t bytes_in_use() const { return bytes_in_use_; }
  std::size_t blocks_in_use() const { return blocks_in_use_; }
  std::size_t peak_bytes() const { return peak_bytes_; }

  /// Everything public takes this first: launches, the heap, the costs.
  static std::recursive_mutex& lock();

private:
  struct block {
    std::size_t bytes;
    bool live;
    const char* variable;  // nullptr: from allocate()
  };
  static constexpr std::uint64_t red_zone = 256;

  std::uint64_t place(std::size_t bytes, std::size_t alignment, const char* variable);
  std::uint64_t find_room(std::uint64_t bytes);
  void drop_pages(std::uint64_t offset, std::uint64_t bytes);

  std::uint64_t base_ = 0, capacity_;
  checked_memory memory_{};
  std::map<std::uint64_t, block> blocks_;  // by offset; freed ones stay until their place is needed
  std::uint64_t next_ = red_zone;
  std::size_t bytes_in_use_ = 0, blocks_in_use_ = 0, peak_bytes_ = 0;
};

}  // namespace gpu_host
