// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "graphpatcher/core/executor.hpp"

/// Device memory of a `cuda` executor: from its pool, in the order of its
/// stream. What is released can be handed out again at once, because everything
/// that still uses it was submitted before.
namespace graphpatcher::backend {

/// Aligned to 256 bytes, null for 0 bytes. Throws out_of_memory_error, which
/// says how much was asked for.
void* allocate(const cuda& exec, std::size_t bytes);
/// `bytes` as they were asked for.
void release(const cuda& exec, void* memory, std::size_t bytes) noexcept;

/// Bytes the executor's pool has taken from the device, and those of them that
/// are handed out.
struct memory_use {
  std::size_t bytes_held;
  std::size_t bytes_in_use;
};
memory_use memory_use_of(const cuda& exec) noexcept;

/// Host to device, in stream order; `host` may change as soon as this returns.
/// (Memory pinned by cudaMallocHost is waited for.)
void upload(const cuda& exec, void* device, const void* host, std::size_t bytes);
/// Device to host; waits until the numbers are there.
void download(const cuda& exec, void* host, const void* device, std::size_t bytes);
/// Device to device, in stream order.
void copy_bytes(const cuda& exec, void* to, const void* from, std::size_t bytes);
/// All bytes zero, in stream order.
void clear_bytes(const cuda& exec, void* memory, std::size_t bytes);

/// How many runs of captured_work (cuda/graph_capture.hpp) were given up before
/// they ran. What was uploaded in them has not arrived.
std::uint64_t dropped_captures(const cuda& exec) noexcept;

/// Memory of a `cuda` executor that is given back when it goes out of scope.
template <class T>
class device_array {
public:
  device_array(const cuda& exec, std::size_t count)
      : exec_(exec), count_(count), data_(static_cast<T*>(allocate(exec, checked_bytes(count)))) {}
  device_array(const cuda& exec, std::span<const T> host) : device_array(exec, host.size()) {
    upload(exec, data_, host.data(), host.size_bytes());
  }
  ~device_array() { release(exec_, data_, count_ * sizeof(T)); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return count_; }
  std::span<T> span() const noexcept { return {data_, count_}; }
  operator std::span<const T>() const noexcept { return {data_, count_}; }

private:
  static std::size_t checked_bytes(std::size_t count) {
    expects<overflow_error>(count <= static_cast<std::size_t>(-1) / sizeof(T), "device array: ", count, " values of ",
                            sizeof(T), " bytes do not fit into memory");
    return count * sizeof(T);
  }

  cuda exec_;
  std::size_t count_;
  T* data_;
};

/// Indices where an executor can read them: on the host they already are.
template <class T>
std::span<const T> resident(const cpu&, std::span<const T> host) {
  return host;
}
template <class T>
device_array<T> resident(const cuda& exec, std::span<const T> host) {
  return device_array<T>(exec, host);
}

/// The copy in device memory of an array that never changes: made on first use,
/// kept as long as the array and its copies. One executor at a time; another
/// one's first use makes it anew.
template <class T>
class device_mirror {
public:
  std::span<const T> of(const cuda& exec, std::span<const T> host) const {
    if (!copy_ || owner_ != &exec.context() || drops_ != dropped_captures(exec)) {
      copy_ = std::make_shared<device_array<T>>(exec, host);
      owner_ = &exec.context();
      drops_ = dropped_captures(exec);
    }
    return copy_->span();
  }

private:
  mutable std::shared_ptr<device_array<T>> copy_;  // keeps the executor's context alive
  mutable const cuda_context* owner_ = nullptr;
  mutable std::uint64_t drops_ = 0;  // dropped_captures() when it was made: it may have been made in the next to drop
};

}  // namespace graphpatcher::backend
