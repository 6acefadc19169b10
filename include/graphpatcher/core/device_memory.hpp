// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/executor.hpp"

/// Memory of a device, by the same names as the host's (host_memory.hpp). What is
/// released can be handed out again at once, because everything that still uses it
/// was submitted before.
namespace graphpatcher::backend {

inline void* allocate(const device& exec, std::size_t bytes) {
  return exec.behind().allocate(bytes);
}
inline void release(const device& exec, void* memory, std::size_t bytes) noexcept {
  exec.behind().release(memory, bytes);
}
inline memory_use memory_use_of(const device& exec) noexcept {
  return exec.behind().use();
}
inline void upload(const device& exec, void* to, const void* host, std::size_t bytes) {
  exec.behind().upload(to, host, bytes);
}
inline void download(const device& exec, void* host, const void* from, std::size_t bytes) {
  exec.behind().download(host, from, bytes);
}
inline void copy_bytes(const device& exec, void* to, const void* from, std::size_t bytes) {
  exec.behind().copy(to, from, bytes);
}
inline void clear_bytes(const device& exec, void* memory, std::size_t bytes) {
  exec.behind().clear(memory, bytes);
}

/// Memory of a device that is given back when it goes out of scope.
template <class T>
class device_array {
public:
  device_array(const device& exec, std::size_t count)
      : exec_(exec),
        count_(count),
        data_(static_cast<T*>(allocate(exec, checked_product<T>("device array", count) * sizeof(T)))) {}
  device_array(const device& exec, std::span<const T> host) : device_array(exec, host.size()) {
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
  device exec_;
  std::size_t count_;
  T* data_;
};

/// Indices where an executor can read them: on the host they already are.
template <class T>
std::span<const T> resident(const cpu&, std::span<const T> host) {
  return host;
}
template <class T>
device_array<T> resident(const device& exec, std::span<const T> host) {
  return device_array<T>(exec, host);
}

/// The copy in device memory of an array that never changes: made on first use,
/// kept as long as the array and its copies. One executor at a time; another
/// one's first use makes it anew.
template <class T>
class device_mirror {
public:
  std::span<const T> of(const device& exec, std::span<const T> host) const {
    if (!copy_ || owner_ != &exec.behind() || drops_ != exec.behind().dropped_recordings()) {
      copy_ = std::make_shared<device_array<T>>(exec, host);
      owner_ = &exec.behind();
      drops_ = exec.behind().dropped_recordings();
    }
    return copy_->span();
  }

private:
  mutable std::shared_ptr<device_array<T>> copy_;  // keeps the device alive
  mutable const accelerator* owner_ = nullptr;
  mutable std::uint64_t drops_ = 0;  // dropped_recordings() when it was made: it may have been made in the next to drop
};

}  // namespace graphpatcher::backend
