// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/host_memory.hpp"

namespace graphpatcher {

/// What a new buffer holds.
enum class contents { zero, anything };

/// Owns numbers in the memory of an executor. A copy is a deep one, in the same
/// memory.
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  buffer() = default;
  buffer(executor where, std::size_t count, contents start = contents::zero) : buffer(uninitialised{}, where, count) {
    if (count > 0 && start == contents::zero) {
      clear();  // if it throws, the destructor gives the memory back
    }
  }
  buffer(const buffer& other) : buffer(other.where_, other.count_, contents::anything) {
    where_.visit([&](const auto& on) { backend::copy_bytes(on, data_, other.data_, bytes()); });
  }
  buffer(buffer&& other) noexcept
      : where_(std::move(other.where_)),
        count_(std::exchange(other.count_, 0)),
        data_(std::exchange(other.data_, nullptr)) {}
  buffer& operator=(const buffer& other) {
    if (this == &other) {
      return *this;
    }
    if (on_host() && other.on_host() && count_ == other.count_) {  // nothing that could fail
      where_ = other.where_;
      backend::copy_bytes(cpu{}, data_, other.data_, bytes());
      return *this;
    }
    return *this = buffer(other);
  }
  buffer& operator=(buffer&& other) noexcept {
    if (this != &other) {
      release();
      where_ = other.where_;
      count_ = std::exchange(other.count_, 0);
      data_ = std::exchange(other.data_, nullptr);
    }
    return *this;
  }
  ~buffer() { release(); }

  const executor& where() const noexcept { return where_; }
  bool on_host() const noexcept { return where_.on_host(); }
  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return count_; }
  std::size_t bytes() const noexcept { return count_ * sizeof(T); }

  void clear() {
    where_.visit([&](const auto& on) { backend::clear_bytes(on, data_, bytes()); });
  }

  /// The same numbers in the memory of another executor. One of the two is the host.
  buffer copy_on(const executor& target) const {
    buffer result(target, count_, contents::anything);
    if (on_host()) {
      target.visit([&](const auto& on) { backend::upload(on, result.data_, data_, bytes()); });
    } else {
      where_.visit([&](const auto& on) { copy_from_device(on, target, result); });
    }
    return result;
  }

private:
  struct uninitialised {};
  buffer(uninitialised, const executor& where, std::size_t count)
      : where_(where), count_(checked_product<T>("buffer", count)) {
    if (count > 0) {
      data_ = where_.visit([&](const auto& on) { return static_cast<T*>(backend::allocate(on, bytes())); });
    }
  }

  void release() noexcept {
    if (data_ != nullptr) {
      where_.visit([&](const auto& on) { backend::release(on, data_, bytes()); });
    }
  }

  template <class Source>
  void copy_from_device(const Source& source, const executor& target, buffer& result) const {
    if (target.on_host()) {
      backend::download(source, result.data_, data_, bytes());
    } else {
      backend::copy_bytes(source, result.data_, data_, bytes());
    }
  }

  executor where_;
  std::size_t count_ = 0;
  T* data_ = nullptr;
};

}  // namespace graphpatcher
