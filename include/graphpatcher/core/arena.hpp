// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/matrix.hpp"

namespace graphpatcher {

/// Scratch memory of an executor that is handed out in one direction and taken
/// back all at once. After the first round it allocates nothing: `reset()` keeps
/// the memory and joins pieces into one that held the whole last round.
class arena {
public:
  explicit arena(executor where = {}) : where_(std::move(where)) {}
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// `count` values of a trivial type, uninitialised, on a cache line.
  template <class T>
  T* allocate(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    return reinterpret_cast<T*>(allocate_bytes(checked_product<T>("arena", count) * sizeof(T)));
  }

  template <class T>
  matrix_view<T> allocate_matrix(std::size_t rows, std::size_t cols) {
    return {allocate<T>(checked_product<T>("arena", rows, cols)), rows, cols};
  }

  /// A copy of host numbers.
  template <class T>
  std::span<const T> keep(std::span<const T> host) {
    T* const copy = allocate<T>(host.size());
    where_.visit([&](const auto& on) { backend::upload(on, copy, host.data(), host.size_bytes()); });
    return {copy, host.size()};
  }

  /// The numbers value_of(0), ..., value_of(count - 1), computed on the host.
  template <class T, class Function>
  std::span<const T> generate(std::size_t count, Function&& value_of) {
    if (!where_.on_host()) {
      std::vector<T> values(count);
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = value_of(i);
      }
      return keep(std::span<const T>(values));
    }
    T* const values = allocate<T>(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = value_of(i);
    }
    return {values, count};
  }

  /// Everything handed out before becomes invalid.
  void reset() {
    if (pieces_.size() > 1) {
      const std::size_t total = capacity();
      pieces_.clear();
      pieces_.emplace_back(where_, total, contents::anything);
    }
    used_ = 0;
  }

  /// Bytes held, used or not.
  std::size_t capacity() const noexcept {
    std::size_t total = 0;
    for (const auto& held : pieces_) {
      total += held.size();
    }
    return total;
  }

private:
  static constexpr std::size_t smallest_piece = std::size_t{1} << 16;

  std::byte* allocate_bytes(std::size_t bytes) {
    bytes = (bytes + storage_alignment - 1) / storage_alignment * storage_alignment;
    if (pieces_.empty() || used_ + bytes > pieces_.back().size()) {
      const std::size_t doubled = pieces_.empty() ? smallest_piece : 2 * pieces_.back().size();
      pieces_.emplace_back(where_, std::max(bytes, doubled), contents::anything);
      used_ = 0;
    }
    std::byte* const start = pieces_.back().data() + used_;
    used_ += bytes;
    return start;
  }

  executor where_;
  std::vector<buffer<std::byte>> pieces_;
  std::size_t used_ = 0;  // of the last piece
};

}  // namespace graphpatcher
