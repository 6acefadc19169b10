// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// Global id -> position inside one ego-graph. Open addressing, sized by the
/// ego-graph and not by the graph, cleared by touching only what was used.
template <graph_index I>
class position_map {
public:
  /// True if `id` is new; it then stands at `position`.
  bool insert(I id, I position) {
    if (2 * (used_.size() + 1) > slots_.size()) {
      grow();
    }
    const std::size_t slot = find_slot(id);
    if (slots_[slot].id == id) {
      return false;
    }
    slots_[slot] = {id, position};
    used_.push_back(slot);
    return true;
  }
  void move(I id, I position) noexcept { slots_[find_slot(id)].position = position; }
  /// Position of `id`, or -1.
  I find(I id) const noexcept {
    const auto& slot = slots_[find_slot(id)];
    return slot.id == id ? slot.position : I(-1);
  }
  void clear() noexcept {
    for (const std::size_t slot : used_) {
      slots_[slot].id = -1;
    }
    used_.clear();
  }

private:
  struct entry {
    I id = -1;
    I position = 0;
  };

  std::size_t find_slot(I id) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15ull >> 32) & mask;
    while (slots_[slot].id != -1 && slots_[slot].id != id) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow() {
    const auto old = std::exchange(slots_, std::vector<entry>(2 * slots_.size()));
    for (std::size_t& used : used_) {
      const entry moved = old[used];
      used = find_slot(moved.id);
      slots_[used] = moved;
    }
  }

  std::vector<entry> slots_ = std::vector<entry>(64);
  std::vector<std::size_t> used_;
};

}  // namespace graphpatcher
