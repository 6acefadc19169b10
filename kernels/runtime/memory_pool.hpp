// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <bit>
#include <cstddef>
#include <map>
#include <vector>

namespace graphpatcher {

/// Device memory of one stream. A released block is kept and handed out again
/// at once, without waiting: whatever still uses it was submitted to the same
/// stream before whatever will use it next. cudaMalloc is called only when no
/// block of the right class is free, cudaFree only when memory runs out and at
/// the end.
///
/// Blocks have few sizes, so that they fit again: 512 bytes at least, then four
/// classes from one power of two to the next. Less than a quarter of a block is
/// wasted.
///
/// With GRAPHPATCHER_NO_POOL=1 in the environment every block is of exactly the
/// size asked for and freed when it is released: slow, but compute-sanitizer
/// then sees every access outside a block or after its end.
class memory_pool {
public:
  /// Memory of `device` for work in the order of `stream`.
  memory_pool(int device, cudaStream_t stream);
  ~memory_pool();
  memory_pool(const memory_pool&) = delete;
  memory_pool& operator=(const memory_pool&) = delete;

  /// Aligned to 256 bytes; null for 0 bytes. Throws out_of_memory_error.
  void* allocate(std::size_t bytes);
  /// `bytes` as they were asked for.
  void release(void* memory, std::size_t bytes) noexcept;
  /// Gives all free blocks back to the device; waits for the stream first.
  void trim();

  std::size_t bytes_held() const noexcept { return bytes_held_; }      ///< from the device, free blocks too
  std::size_t bytes_in_use() const noexcept { return bytes_in_use_; }  ///< in blocks that are handed out

  static constexpr std::size_t smallest_block = 512;
  static constexpr std::size_t largest_rounded = std::size_t{1} << 62;

  static constexpr std::size_t size_class(std::size_t bytes) noexcept {
    if (bytes <= smallest_block) {
      return smallest_block;
    }
    if (bytes > largest_rounded) {
      return bytes;  // no device has as much; rounding would overflow
    }
    const std::size_t step = std::bit_floor(bytes - 1) / 4;
    return (bytes + step - 1) / step * step;
  }

private:
  struct block_list {
    std::vector<void*> free;
    std::size_t count = 0;  // blocks of this class, free or not; `free` has room for all, so release() can't throw
  };

  std::size_t block_size(std::size_t bytes) const noexcept { return caching_ ? size_class(bytes) : bytes; }
  void* allocate_on_device(std::size_t bytes);
  bool capturing() const noexcept;
  void free_blocks() noexcept;

  int device_;
  cudaStream_t stream_;
  bool caching_;
  std::map<std::size_t, block_list> blocks_;  // by block size
  std::size_t bytes_held_ = 0;
  std::size_t bytes_in_use_ = 0;
};

/// Makes `device` the thread's current one while in scope.
class device_scope {
public:
  explicit device_scope(int device);
  ~device_scope();
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;

private:
  int before_;
};

}  // namespace graphpatcher
