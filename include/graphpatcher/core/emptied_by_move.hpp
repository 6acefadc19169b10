// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

namespace graphpatcher {

/// A value that a move takes along, leaving V{}. A class of such members and of
/// vectors is empty after a move, sizes and arrays alike, and need not say so.
template <class V>
class emptied_by_move {
public:
  emptied_by_move() = default;
  emptied_by_move(V value) : value_(std::move(value)) {}
  emptied_by_move(const emptied_by_move&) = default;
  emptied_by_move(emptied_by_move&& other) noexcept : value_(std::exchange(other.value_, V{})) {}
  emptied_by_move& operator=(const emptied_by_move&) = default;
  emptied_by_move& operator=(emptied_by_move&& other) noexcept {
    value_ = std::exchange(other.value_, V{});
    return *this;
  }
  ~emptied_by_move() = default;

  operator const V&() const noexcept { return value_; }

private:
  V value_{};
};

}  // namespace graphpatcher
