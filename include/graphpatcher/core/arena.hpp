// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "graphpatcher/core/matrix.hpp"

namespace graphpatcher {

/// Scratch memory that is handed out in one direction and taken back all at
/// once. After the first round it allocates nothing: `reset()` keeps the memory
/// and joins pieces into one that held the whole last round.
class arena {
public:
  arena() = default;
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// `count` values of a trivial type, uninitialised, on a cache line.
  template <class T>
  T* allocate(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    return reinterpret_cast<T*>(allocate_bytes(count * sizeof(T)));
  }

  template <class T>
  matrix_view<T> allocate_matrix(std::size_t rows, std::size_t cols) {
    return {allocate<T>(rows * cols), rows, cols};
  }

  /// Everything handed out before becomes invalid.
  void reset() {
    if (pieces_.size() > 1) {
      const std::size_t total = capacity();
      pieces_.clear();
      pieces_.emplace_back(total);
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

  /// Leaves its bytes alone when it grows: they are written before they are read.
  struct bytes_allocator : aligned_allocator<std::byte> {
    using value_type = std::byte;
    template <class U>
    struct rebind {
      using other = bytes_allocator;
    };
    void construct(std::byte*) noexcept {}
  };
  using piece = std::vector<std::byte, bytes_allocator>;

  std::byte* allocate_bytes(std::size_t bytes) {
    bytes = (bytes + storage_alignment - 1) / storage_alignment * storage_alignment;
    if (pieces_.empty() || used_ + bytes > pieces_.back().size()) {
      const std::size_t doubled = pieces_.empty() ? smallest_piece : 2 * pieces_.back().size();
      pieces_.emplace_back(std::max(bytes, doubled));
      used_ = 0;
    }
    std::byte* const start = pieces_.back().data() + used_;
    used_ += bytes;
    return start;
  }

  std::vector<piece> pieces_;
  std::size_t used_ = 0;  // of the last piece
};

}  // namespace graphpatcher
