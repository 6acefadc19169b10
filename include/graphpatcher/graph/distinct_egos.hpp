// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphpatcher/graph/ego_messages.hpp"

namespace graphpatcher {

/// A list of (ego-graph, mask) pairs in which equal masks of an anchor stand
/// once: what a model says of them is the same, bit for bit. An anchor with one
/// neighbour has two masks, however many samples are drawn.
class distinct_egos {
public:
  distinct_egos() = default;
  /// Pairs anchor by anchor: masks are compared with those of the same ego-graph before.
  explicit distinct_egos(std::span<const masked_ego> pairs) {
    for (const auto& pair : pairs) {
      add(pair);
    }
  }

  /// Appends a pair; false if it was there.
  bool add(const masked_ego& pair) {
    std::size_t at = egos_.size();
    while (at > 0 && egos_[at - 1].ego == pair.ego) {
      if (std::ranges::equal(egos_[--at].keep, pair.keep)) {
        which_.push_back(static_cast<std::int32_t>(at));
        return false;
      }
    }
    which_.push_back(static_cast<std::int32_t>(egos_.size()));
    egos_.push_back(pair);
    return true;
  }
  void clear() {
    egos_.clear();
    which_.clear();
  }

  std::span<const masked_ego> egos() const noexcept { return egos_; }
  /// Of each pair, its place in egos().
  std::span<const std::int32_t> which() const noexcept { return which_; }

private:
  std::vector<masked_ego> egos_;
  std::vector<std::int32_t> which_;
};

}  // namespace graphpatcher
