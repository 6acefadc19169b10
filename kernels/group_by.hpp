// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher::kernels {

/// Entries brought together by key, on the host: what a kernel needs to add up
/// all entries of a key in one place, in their order, without atomics.
template <graph_index I>
struct grouping {
  std::vector<I> keys;        ///< that occur, ascending
  std::vector<I> offsets{0};  ///< group g: members[offsets[g] .. offsets[g + 1])
  std::vector<I> members;     ///< positions of entries, ascending in a group
  std::size_t longest = 0;    ///< most members of a group
};

/// A stable counting sort of keys in [0, key_count).
template <graph_index I>
grouping<I> group_by(std::span<const I> keys, std::size_t key_count) {
  expects_index_fits<I>(keys.size(), "entries");
  std::vector<I> counts(key_count, 0);
  for (const I key : keys) {
    ++counts[static_cast<std::size_t>(key)];
  }
  grouping<I> result;
  for (std::size_t key = 0; key < key_count; ++key) {
    if (counts[key] > 0) {
      const I begin = result.offsets.back();
      result.keys.push_back(static_cast<I>(key));
      result.offsets.push_back(begin + counts[key]);
      result.longest = std::max(result.longest, static_cast<std::size_t>(counts[key]));
      counts[key] = begin;  // from here on: where the key's next member goes
    }
  }
  result.members.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    result.members[static_cast<std::size_t>(counts[static_cast<std::size_t>(keys[i])]++)] = static_cast<I>(i);
  }
  return result;
}

}  // namespace graphpatcher::kernels
